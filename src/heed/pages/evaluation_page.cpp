#include "heed/pages/evaluation_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "heed/core/error.h"
#include "heed/core/json_text.h"
#include "heed/core/options.h"
#include "heed/evaluate/labels.h"
#include "heed/evaluate/length_buckets.h"
#include "heed/pages/json_parts.h"
#include "heed/pages/page.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// Sentences of one block of texts.
constexpr size_t kBlockSentences = 200;

// The digits that `heed evaluate` prints, rounded as it rounds.
double printed(double value, int digits = 2) {
  return std::stod(fmt::format("{:.{}f}", value, digits));
}

Json class_of(const ClassScore& of_class) {
  return {of_class.name, printed(of_class.precision), printed(of_class.recall),
          printed(of_class.f1), of_class.support};
}

// Fewer samples of a large text, whose interval is narrow.
int64_t interval_trials(size_t sentences) {
  constexpr size_t kDrawnSentences = 20'000'000;
  return int64_t(std::clamp<size_t>(kDrawnSentences / std::max<size_t>(1, sentences), 100, 1000));
}

// The intervals of a metric whose test has none.
std::vector<Interval> intervals_of(const EvaluatedMetric& metric) {
  const std::vector<PairedResult>& tests = metric.report.tests;
  if (!tests.empty() && tests[0].interval) return {};
  return bootstrap_intervals(*metric.corpus,
                             {.trials = interval_trials(metric.corpus->sentences())});
}

void add_interval(const Interval& interval, Json& result) {
  result["mean"] = printed(interval.mean);
  result["half_width"] = printed(interval.half_width);
}

Json result_of(const EvaluatedMetric& metric, size_t system) {
  const MetricScore& found = metric.report.scores[system];
  Json result = {{"score", printed(found.score)}};
  if (!found.classes.empty()) result["classes"] = json_list(found.classes, class_of);
  if (metric.report.tests.empty()) return result;
  const PairedResult& test = metric.report.tests[system];
  if (test.p_value) {
    result["p_value"] = printed(*test.p_value, 4);
    result["significant"] = *test.p_value <= 0.05;
  }
  if (test.interval) add_interval(*test.interval, result);
  return result;
}

// [system]: what `of` gives for each.
template <class Of>
Json by_system(const EvaluatedMetric& metric, Of of) {
  Json all = Json::array();
  for (size_t system = 0; system < metric.corpus->systems(); ++system)
    all.push_back(of(metric, system));
  return all;
}

// [metric][system]
template <class Of>
Json by_metric_and_system(const std::vector<EvaluatedMetric>& metrics, Of of) {
  return json_list(metrics, [&](const EvaluatedMetric& metric) { return by_system(metric, of); });
}

Json metric_of(const EvaluatedMetric& metric) {
  const MetricScore& first = metric.report.scores[0];
  Json systems = by_system(metric, result_of);
  const std::vector<Interval> intervals = intervals_of(metric);
  for (size_t system = 0; system < intervals.size(); ++system)
    add_interval(intervals[system], systems[system]);
  return {{"name", first.name},
          {"signature", first.signature},
          {"sentence_signature", metric.sentence->sentence(0, 0).signature},
          {"lower_is_better", first.name == "TER" || first.name == "AER"},
          {"systems", systems}};
}

Json scores_of_bucket(const std::vector<size_t>& sentences,
                      const std::vector<EvaluatedMetric>& metrics) {
  if (sentences.empty()) return Json::array();
  return by_metric_and_system(metrics, [&](const EvaluatedMetric& metric, size_t system) {
    std::vector<uint32_t> rows;
    rows.reserve(sentences.size());
    for (const size_t i : sentences) rows.push_back(metric.corpus->row(system, i));
    return printed(metric.corpus->score(rows).score);
  });
}

Json scores_by_length(const std::vector<int64_t>& lengths,
                      const std::vector<EvaluatedMetric>& metrics) {
  return json_list(length_buckets(lengths), [&](const LengthBucket& bucket) -> Json {
    return {{"first", bucket.first},
            {"last", bucket.last ? Json(*bucket.last) : Json()},
            {"sentences", bucket.sentences.size()},
            {"scores", scores_of_bucket(bucket.sentences, metrics)}};
  });
}

Json scores_of_sentences(const std::vector<EvaluatedMetric>& metrics) {
  return by_metric_and_system(metrics, [](const EvaluatedMetric& metric, size_t system) {
    Json scores = Json::array();
    for (size_t i = 0; i < metric.sentence->sentences(); ++i)
      scores.push_back(printed(metric.sentence->sentence(system, i).score));
    return scores;
  });
}

Json slices(const NamedTexts& texts, size_t begin, size_t end) {
  return json_list(texts.texts, [&](const Lines& lines) {
    return Lines(lines.begin() + ptrdiff_t(begin), lines.begin() + ptrdiff_t(end));
  });
}

void append_texts(const EvaluatedTexts& texts, std::vector<std::string>& blocks) {
  const size_t count = texts.systems.texts[0].size();
  for (size_t begin = 0; begin < count; begin += kBlockSentences) {
    const size_t end = std::min(count, begin + kBlockSentences);
    Json block = {{"systems", slices(texts.systems, begin, end)},
                  {"references", slices(texts.references, begin, end)}};
    if (!texts.source.texts.empty()) block["source"] = slices(texts.source, begin, end)[0];
    blocks.push_back(page_block(json_text(block)));
  }
}

Json test_of(const std::optional<PairedTestOptions>& test) {
  if (!test) return {};
  return {{"kind", to_text(test->test)}, {"trials", test->trials}, {"seed", test->seed}};
}

// Whether the texts have as many labels in each line as the reference.
bool compares_labels(const std::vector<EvaluatedMetric>& metrics) {
  return std::any_of(metrics.begin(), metrics.end(), [](const EvaluatedMetric& metric) {
    const std::string& name = metric.report.scores[0].name;
    return name == "accuracy" || name == "macro F1";
  });
}

// The labels that occur most, in a reference or a system, in the order of their bytes.
std::vector<std::string> frequent_labels(const std::vector<ConfusionTable>& tables) {
  constexpr size_t kMaxLabels = 40;  // of a table that fits a screen
  std::map<std::string, int64_t> counts;
  for (const ConfusionTable& table : tables) {
    for (const ConfusionTable::Cell& cell : table.cells()) {
      counts[cell.reference] += cell.count;
      counts[cell.hypothesis] += cell.count;
    }
  }
  std::vector<std::pair<int64_t, std::string>> order;
  order.reserve(counts.size());
  for (const auto& [label, count] : counts) order.emplace_back(-count, label);
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), kMaxLabels));
  std::vector<std::string> labels;
  labels.reserve(order.size());
  for (auto& [count, label] : order) labels.push_back(std::move(label));
  std::sort(labels.begin(), labels.end());
  return labels;
}

// A list of [reference, hypothesis, count] for each system: labels as places in `names`, all others
// as the place after the last.
Json confusions_of(const EvaluatedTexts& texts) {
  std::vector<ConfusionTable> tables;
  for (const Lines& labels : texts.systems.texts)
    tables.push_back(confusion_table(labels, texts.references.texts));
  const std::vector<std::string> names = frequent_labels(tables);
  std::set<std::string> others;
  const auto place_of = [&](const std::string& label) {
    const auto found = std::lower_bound(names.begin(), names.end(), label);
    if (found != names.end() && *found == label) return size_t(found - names.begin());
    others.insert(label);
    return names.size();
  };
  Json systems = json_list(tables, [&](const ConfusionTable& table) {
    std::map<std::pair<size_t, size_t>, int64_t> counts;
    for (const ConfusionTable::Cell& cell : table.cells())
      counts[{place_of(cell.reference), place_of(cell.hypothesis)}] += cell.count;
    return json_list(counts, [](const auto& cell) -> Json {
      return {cell.first.first, cell.first.second, cell.second};
    });
  });
  return {{"names", names}, {"others", others.size()}, {"systems", std::move(systems)}};
}

Json confidence_of(const EvaluatedConfidence& confidence) {
  const Reliability found = confidence.reliability();
  return {{"good_chrf", confidence.good_chrf},
          {"auc", found.auc ? Json(*found.auc) : Json()},
          {"error", found.error},
          {"bins", json_list(found.bins, [](const ReliabilityBin& bin) -> Json {
             return {bin.first, bin.last, bin.confidence, bin.good, bin.count};
           })}};
}

}  // namespace

std::string evaluation_page(const EvaluatedTexts& texts,
                            const std::vector<EvaluatedMetric>& metrics,
                            const std::optional<PairedTestOptions>& test,
                            const std::optional<EvaluatedConfidence>& confidence) {
  check(!texts.systems.texts.empty() && !metrics.empty(), "a page of no system or no metric");
  Json data = {{"kind", "evaluation"},
               {"systems", texts.systems.names},
               {"references", texts.references.names},
               {"source", texts.source.names.empty() ? Json() : Json(texts.source.names[0])},
               {"sentences", texts.systems.texts[0].size()},
               {"block_sentences", kBlockSentences},
               {"test", test_of(test)},
               {"interval_trials", interval_trials(texts.systems.texts[0].size())},
               {"metrics", json_list(metrics, metric_of)},
               {"confidence", confidence ? confidence_of(*confidence) : Json()},
               {"labels", compares_labels(metrics) ? confusions_of(texts) : Json()}};
  Json numbers = {{"scores", scores_of_sentences(metrics)}};
  if (confidence)
    numbers["confidence"] = json_list(confidence->sentences, [](const auto& one) {
      return one ? Json(printed(one->confidence, 4)) : Json();
    });
  const auto add_lengths = [&](const char* side, const Lines& lines) {
    const LengthUnit unit = suitable_length_unit(lines);
    const std::vector<int64_t> lengths = lengths_of(lines, unit);
    numbers["lengths"].push_back(lengths);
    data["lengths"].push_back(
        {{"side", side}, {"unit", name(unit)}, {"buckets", scores_by_length(lengths, metrics)}});
  };
  add_lengths("reference", texts.references.texts[0]);
  if (!texts.source.texts.empty()) add_lengths("source", texts.source.texts[0]);
  // The numbers of all sentences are the first block, since sorting needs them all.
  std::vector<std::string> blocks{page_block(json_text(numbers))};
  append_texts(texts, blocks);
  return page_html({"evaluation", "Evaluation", json_text(data), std::move(blocks)});
}

}  // namespace heed
