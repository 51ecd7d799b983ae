#include "heed/pages/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <map>

#include "heed/core/error.h"
#include "heed/core/json_text.h"
#include "heed/core/options.h"
#include "heed/model/alignment_heads.h"
#include "heed/pages/json_parts.h"
#include "heed/pages/page.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// More points than a curve has pixels are not seen, and more samples are not read.
constexpr size_t kMaxReports = 2000, kMaxSamples = 40;

// At most `most` of the items, evenly, with the first and the last.
template <class T>
std::vector<const T*> thinned(const std::vector<T>& items, size_t most) {
  std::vector<const T*> kept;
  const size_t count = std::min(items.size(), most);
  for (size_t i = 0; i < count; ++i)
    kept.push_back(&items[count < 2 ? i : i * (items.size() - 1) / (count - 1)]);
  return kept;
}

// Adds the fields of a report to the columns of a table, {name: [value, ...]}.
struct RowWriter {
  Json& table;

  void operator()(std::string_view name, const auto& value) const {
    if (name != "train_loss") add(name, json_number(value));
  }
  void operator()(std::string_view name, int64_t value) const {
    add(name, name == "memory" && value == 0 ? Json(nullptr) : Json(value));  // 0: not in the log
  }
  void operator()(std::string_view name, bool value) const { add(name, value); }
  // Only rows without it are shown.
  void operator()(std::string_view, const std::optional<int64_t>&) const {}
  void operator()(std::string_view, const std::vector<Score>& scores) const {
    for (const auto& [name, title] : kScoreNames) {
      const auto found = std::ranges::find(scores, name, &Score::name);
      add(name, found == scores.end() ? Json(nullptr) : json_number(found->value));
    }
  }
  // Only those of the last report are shown, and of the last validation.
  void operator()(std::string_view, const std::vector<CorpusCount>&) const {}
  void operator()(std::string_view, const std::vector<TextValidation>&) const {}
  void add(std::string_view name, const Json& value) const {
    table[std::string(name)].push_back(value);
  }
};

template <class Report>
Json table_of(const std::vector<Report>& reports) {
  Json table = Json::object();
  const Report none;
  Report::visit(none, RowWriter{table});  // names the columns, of which all are then empty
  for (Json& column : table) column = Json::array();
  for (const Report* report : thinned(reports, kMaxReports))
    Report::visit(*report, RowWriter{table});
  return table;
}

std::vector<ValidationReport> validations_of_steps(const RunMetrics& metrics) {
  std::vector<ValidationReport> of_steps;
  for (const ValidationReport& r : metrics.validations)
    if (!r.averaged_checkpoints) of_steps.push_back(r);
  return of_steps;
}

// Null for none.
Json validation_json(const ValidationReport* r) {
  if (r == nullptr) return nullptr;
  Json json = {{"step", r->step}};
  if (r->averaged_checkpoints) json["checkpoints"] = *r->averaged_checkpoints;
  json["loss"] = json_number(r->loss);
  json["perplexity"] = json_number(r->perplexity);
  for (const Score& score : r->scores) {
    json[score.name] = score.value;
    if (!score.tokenize.empty()) json["bleu_tokenize"] = score.tokenize;
  }
  return json;
}

// The numbers of a further validation text by their names in a log.
std::vector<std::pair<std::string, std::optional<double>>> numbers_of(const TextValidation& text) {
  std::vector<std::pair<std::string, std::optional<double>>> numbers = {
      {"loss", text.loss}, {"perplexity", text.perplexity}};
  for (const Score& score : text.scores) numbers.emplace_back(score.name, score.value);
  return numbers;
}

// The last and the best validation of each further validation text.
Json texts_json(const RunMetrics& metrics) {
  std::vector<Json> texts;
  for (const ValidationReport& r : metrics.validations) {
    for (const TextValidation& text : r.texts) {
      auto found =
          std::ranges::find_if(texts, [&](const Json& t) { return t["name"] == text.name; });
      if (found == texts.end())
        found = texts.insert(found, Json({{"name", text.name}, {"best", Json::object()}}));
      Json& json = *found;
      json["last"] = {{"step", r.step}};
      for (const auto& [name, value] : numbers_of(text)) {
        if (!value) continue;
        json["last"][name] = json_number(value);
        const bool lower = name == "loss" || name == "perplexity";
        const auto before = json["best"].find(name);
        const bool better = before == json["best"].end() ||
                            (lower ? *value < (*before)["value"] : *value > (*before)["value"]);
        if (better && !r.averaged_checkpoints)
          json["best"][name] = {{"value", json_number(value)}, {"step", r.step}};
      }
    }
  }
  return texts;
}

// The facts of a run, for its page and for programs.
Json run_json(const RunHistory& run) {
  const RunSummary found = summary(run.metrics);
  check(found.last != nullptr, "a run without a report has no page");
  Json json = {{"name", run.name},
               {"state", to_text(run.status)},
               {"step", found.last->step},
               {"epoch", json_number(found.last->epoch)},
               {"seconds", json_number(found.last->seconds)},
               {"tokens_per_second", json_number(found.last->tokens_per_second)},
               {"train_loss", json_number(found.last->loss)},
               {"parameters", run.parameters ? Json(*run.parameters) : Json(nullptr)},
               {"lowest_loss", validation_json(found.lowest_loss)},
               {"lowest_perplexity", validation_json(found.lowest_perplexity)},
               {"average", validation_json(found.average)},
               {"options", json_object(run.options)}};
  if (found.last->stage) json["stage"] = *found.last->stage;
  for (const CorpusCount& corpus : found.last->corpora)
    json["corpora"].push_back({{"name", corpus.name}, {"examples", corpus.examples}});
  if (const Json texts = texts_json(run.metrics); !texts.empty()) json["texts"] = texts;
  for (size_t i = 0; i < kScoreNames.size(); ++i)
    json[fmt::format("highest_{}", kScoreNames[i].name)] = validation_json(found.highest[i]);
  return json;
}

// With the layer whose attention the samples have.
Json model_of(const std::optional<ModelConfig>& config) {
  if (!config) return nullptr;
  Json json = sizes_json(*config);
  const AlignmentHeads heads = default_alignment_heads(*config);
  json["attention_layer"] = heads.heads.empty() ? Json() : Json(heads.heads[0].layer + 1);
  return json;
}

// The samples by sentence, in the order in which the sentences come first.
Json sentences_of(const std::vector<StoredSample>& samples, std::vector<std::string>& blocks) {
  std::vector<std::vector<StoredSample>> sentences;
  std::map<std::pair<std::string, std::string>, size_t> numbers;
  for (const StoredSample& sample : samples) {
    const auto [found, is_new] =
        numbers.try_emplace({sample.source, sample.reference}, sentences.size());
    if (is_new) sentences.emplace_back();
    sentences[found->second].push_back(sample);
  }
  Json all = Json::array();
  for (const std::vector<StoredSample>& sentence : sentences) {
    Json& json = all.emplace_back(Json({{"source", sentence[0].source},
                                        {"reference", sentence[0].reference},
                                        {"samples", Json::array()}}));
    for (const StoredSample* sample : thinned(sentence, kMaxSamples)) {
      json["samples"].push_back({{"step", sample->step},
                                 {"output", sample->output},
                                 {"score", json_number(sample->score)},
                                 {"block", sample->block ? Json(blocks.size()) : Json()}});
      if (sample->block) blocks.push_back(*sample->block);
    }
  }
  return all;
}

Json tokenizer_of(const RunMetrics& metrics) {
  for (const ValidationReport& r : metrics.validations)
    for (const Score& score : r.scores)
      if (!score.tokenize.empty()) return score.tokenize;
  return nullptr;
}

// The number of lines of the last validation that was scored; null for all of them, or for none.
Json scored_lines_of(const RunMetrics& metrics) {
  const auto last = std::find_if(metrics.validations.rbegin(), metrics.validations.rend(),
                                 [](const ValidationReport& r) { return !r.scores.empty(); });
  if (last != metrics.validations.rend() && last->scored_lines) return *last->scored_lines;
  return nullptr;
}

Json page_json(const RunHistory& run, std::vector<std::string>& blocks) {
  Json json = run_json(run);
  const TrainReport& last = run.metrics.reports.back();
  const bool running = run.status == RunStatus::running && last.fraction_done > 0;
  const auto while_running = [&](double v) { return running ? json_number(v) : Json(nullptr); };
  json.update({{"fraction_done", while_running(last.fraction_done)},
               {"seconds_left", while_running(last.seconds_left)},
               {"model", model_of(run.config)},
               {"training_text", run.training_text},
               {"validation_text", run.validation_text},
               {"train", table_of(run.metrics.reports)},
               {"validation", table_of(validations_of_steps(run.metrics))},
               {"bleu_tokenize", tokenizer_of(run.metrics)},
               {"scored_lines", scored_lines_of(run.metrics)},
               {"sentences", sentences_of(run.samples, blocks)}});
  return json;
}

}  // namespace

RunSummary summary(const RunMetrics& metrics) {
  RunSummary found;
  if (!metrics.reports.empty()) found.last = &metrics.reports.back();
  for (const ValidationReport& r : metrics.validations) {
    if (r.averaged_checkpoints) {
      found.average = &r;
      continue;
    }
    const auto take = [&](const ValidationReport*& best, auto better, const auto& value) {
      const std::optional<double> here = std::invoke(value, r);
      if (here && (!best || better(*here, *std::invoke(value, *best)))) best = &r;
    };
    take(found.lowest_loss, std::less(), &ValidationReport::loss);
    take(found.lowest_perplexity, std::less(), &ValidationReport::perplexity);
    for (size_t i = 0; i < kScoreNames.size(); ++i) {
      take(found.highest[i], std::greater(),
           [i](const ValidationReport& one) { return one.score(kScoreNames[i].name); });
    }
  }
  return found;
}

std::string runs_json(std::span<const RunHistory> runs) {
  return json_text({{"runs", json_list(runs, run_json)},
                    {"differing_options", differing_options(runs)}}) +
         "\n";
}

std::string run_page_html(std::span<const RunHistory> runs, PageOf of) {
  Page page{"run", runs.size() == 1 ? runs[0].name : "Training runs", "", {}};
  page.data = json_text({{"kind", "run"},
                         {"live", of == PageOf::run_in_progress},
                         {"written", utc_text(std::time(nullptr))},
                         {"runs", json_list(runs, [&](const RunHistory& run) {
                            return page_json(run, page.blocks);
                          })}});
  return page_html(page);
}

}  // namespace heed
