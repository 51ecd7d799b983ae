#include "heed/evaluate/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "heed/core/counted.h"
#include "heed/core/error.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

double percent(double part, double whole) {
  return whole > 0 ? 100 * (part / whole) : 0;
}

ClassScore score_of_class(std::string name, const ClassCounts& counts, F1Formula formula) {
  const auto matched = double(counts.matched), reference = double(counts.reference),
             hypothesis = double(counts.hypothesis);
  ClassScore score{.name = std::move(name),
                   .precision = percent(matched, hypothesis),
                   .recall = percent(matched, reference),
                   .support = counts.reference};
  if (formula == F1Formula::counts) {
    score.f1 = percent(2 * matched, hypothesis + reference);
  } else if (matched > 0) {
    const double precision = matched / hypothesis, recall = matched / reference;
    score.f1 = 100 * (2 * precision * recall / (precision + recall));
  }
  return score;
}

// The mean of classes; weights[i] of class i.
ClassScore mean_of(std::string name, const std::vector<ClassScore>& classes,
                   const std::vector<double>& weights) {
  ClassScore mean{.name = std::move(name)};
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (size_t i = 0; i < classes.size(); ++i) {
    mean.support += classes[i].support;
    if (total == 0) continue;
    mean.precision += classes[i].precision * weights[i];
    mean.recall += classes[i].recall * weights[i];
    mean.f1 += classes[i].f1 * weights[i];
  }
  if (total == 0) return mean;
  for (double* value : {&mean.precision, &mean.recall, &mean.f1}) *value /= total;
  return mean;
}

std::string signature_of(std::string_view settings) {
  return fmt::format("nrefs:1|case:mixed|{}|{}", settings, detail::version_field());
}

}  // namespace

ClassCounts& ClassCounts::operator+=(const ClassCounts& other) {
  matched += other.matched;
  hypothesis += other.hypothesis;
  reference += other.reference;
  return *this;
}

void ClassStatistics::add_sentence() {
  sentences_.emplace_back();
}

ClassCounts& ClassStatistics::of(std::string_view name) {
  check(!sentences_.empty(), "counts of a class before the first sentence");
  auto found = numbers_.find(name);
  if (found == numbers_.end()) {
    found = numbers_.emplace(std::string(name), uint32_t(numbers_.size())).first;
    places_.emplace_back(0, 0);
  }
  auto& counts = sentences_.back();
  auto& [sentence, place] = places_[found->second];
  if (sentence != sentences_.size()) {
    sentence = sentences_.size();
    place = counts.size();
    counts.emplace_back(found->second, ClassCounts());
  }
  return counts[place].second;
}

ClassReport ClassStatistics::report(std::span<const uint32_t> sentences, F1Formula formula) const {
  std::vector<ClassCounts> sums(numbers_.size());
  for (const uint32_t sentence : sentences) {
    for (const auto& [number, counts] : sentences_[sentence]) sums[number] += counts;
  }
  ClassReport report;
  ClassCounts all;
  std::vector<double> supports;
  for (const auto& [name, number] : numbers_) {
    const ClassCounts& counts = sums[number];
    if (counts.hypothesis + counts.reference == 0) continue;
    report.classes.push_back(score_of_class(name, counts, formula));
    supports.push_back(double(counts.reference));
    all += counts;
  }
  report.micro = score_of_class("micro", all, formula);
  report.macro = mean_of("macro", report.classes, std::vector(report.classes.size(), 1.0));
  report.weighted = mean_of("weighted", report.classes, supports);
  return report;
}

ClassReport ClassStatistics::report(F1Formula formula) const {
  std::vector<uint32_t> all(sentences_.size());
  std::iota(all.begin(), all.end(), 0);
  return report(all, formula);
}

std::vector<std::string_view> detail::labels_of(std::string_view line) {
  std::vector<std::string_view> labels;
  split_at_whitespace(line, labels);
  return labels;
}

void detail::for_each_line(
    std::span<const Lines> systems, std::span<const Lines> references,
    const std::function<void(const std::vector<std::string_view>& hypothesis,
                             const std::vector<std::string_view>& reference, size_t line)>& count) {
  if (references.size() > 1) {
    fail_usage("labels are compared with one reference, got {}: give one", references.size());
  }
  for (size_t system = 0; system < systems.size(); ++system) {
    detail::check_line_counts(systems[system], references);
    for (size_t i = 0; i < systems[system].size(); ++i) {
      const std::string hypothesis = replace_invalid_utf8(systems[system][i]);
      const std::string reference = replace_invalid_utf8(references[0][i]);
      const std::vector<std::string_view> got = labels_of(hypothesis);
      const std::vector<std::string_view> expected = labels_of(reference);
      if (got.size() != expected.size()) {
        fail("line {} of {} has {} but the reference has {}: give as many labels in each line",
             i + 1, systems.size() == 1 ? "the labels" : fmt::format("system {}", system + 1),
             detail::counted(int64_t(got.size()), "label"), expected.size());
      }
      count(got, expected, i + 1);
    }
  }
}

ClassStatistics label_statistics(std::span<const Lines> systems,
                                 std::span<const Lines> references) {
  ClassStatistics statistics;
  detail::for_each_line(systems, references,
                        [&](const auto& hypothesis, const auto& reference, size_t) {
                          statistics.add_sentence();
                          for (size_t i = 0; i < reference.size(); ++i) {
                            ++statistics.of(reference[i]).reference;
                            ClassCounts& counts = statistics.of(hypothesis[i]);
                            ++counts.hypothesis;
                            counts.matched += hypothesis[i] == reference[i];
                          }
                        });
  return statistics;
}

ClassReport label_report(const Lines& hypotheses, std::span<const Lines> references) {
  return label_statistics({&hypotheses, 1}, references).report(F1Formula::counts);
}

MetricScore accuracy_metric(const ClassReport& report) {
  const double accuracy = report.micro.recall, labels = double(report.micro.support);
  return {.name = "accuracy",
          .score = accuracy,
          .signature = signature_of("unit:label"),
          .line = fmt::format("accuracy = {:.2f} (labels = {})", accuracy, report.micro.support),
          .details = {{"labels", labels}}};
}

MetricScore label_f1_metric(const ClassReport& report) {
  const auto& [classes, micro, macro, weighted] = report;
  return {.name = "macro F1",
          .score = macro.f1,
          .signature = signature_of("unit:label|average:macro"),
          .line = fmt::format("macro F1 = {:.2f} (precision = {:.2f} recall = {:.2f} "
                              "weighted_precision = {:.2f} weighted_recall = {:.2f} "
                              "weighted_f1 = {:.2f} classes = {})",
                              macro.f1, macro.precision, macro.recall, weighted.precision,
                              weighted.recall, weighted.f1, classes.size()),
          .details = {{"precision", macro.precision},
                      {"recall", macro.recall},
                      {"weighted_precision", weighted.precision},
                      {"weighted_recall", weighted.recall},
                      {"weighted_f1", weighted.f1},
                      {"classes", double(classes.size())}},
          .classes = classes};
}

void ConfusionTable::add(std::string_view reference, std::string_view hypothesis) {
  ++rows_[std::string(reference)][std::string(hypothesis)];
}

std::vector<std::string> ConfusionTable::labels() const {
  std::set<std::string> labels;
  for (const auto& [reference, row] : rows_) {
    labels.insert(reference);
    for (const auto& [hypothesis, count] : row) labels.insert(hypothesis);
  }
  return {labels.begin(), labels.end()};
}

int64_t ConfusionTable::count(std::string_view reference, std::string_view hypothesis) const {
  const auto row = rows_.find(reference);
  if (row == rows_.end()) return 0;
  const auto cell = row->second.find(hypothesis);
  return cell == row->second.end() ? 0 : cell->second;
}

std::vector<ConfusionTable::Cell> ConfusionTable::cells() const {
  std::vector<Cell> cells;
  for (const auto& [reference, row] : rows_)
    for (const auto& [hypothesis, count] : row) cells.push_back({reference, hypothesis, count});
  return cells;
}

std::vector<ConfusionTable::Cell> ConfusionTable::confusions(size_t limit) const {
  std::vector<Cell> cells = this->cells();
  std::erase_if(cells, [](const Cell& cell) { return cell.hypothesis == cell.reference; });
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Cell& a, const Cell& b) { return a.count > b.count; });
  cells.erase(cells.begin() + std::ptrdiff_t(std::min(limit, cells.size())), cells.end());
  return cells;
}

ConfusionTable confusion_table(const Lines& hypotheses, std::span<const Lines> references) {
  ConfusionTable table;
  detail::for_each_line({&hypotheses, 1}, references,
                        [&](const auto& hypothesis, const auto& reference, size_t) {
                          for (size_t i = 0; i < reference.size(); ++i) {
                            table.add(reference[i], hypothesis[i]);
                          }
                        });
  return table;
}

}  // namespace heed
