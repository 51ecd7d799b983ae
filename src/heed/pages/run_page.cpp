#include "heed/pages/run_page.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <functional>
#include <initializer_list>
#include <map>

#include "heed/core/error.h"
#include "heed/core/json_text.h"
#include "heed/core/options.h"
#include "heed/pages/page.h"

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

// JSON has no number for infinity and NaN.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

// Adds the fields of a report to the columns of a table, {name: [value, ...]}.
struct RowWriter {
  Json& table;

  void operator()(std::string_view name, const auto& value) const {
    if (name != "train_loss") add(name, number(value));
  }
  void operator()(std::string_view name, int64_t value) const {
    add(name, name == "memory" && value == 0 ? Json(nullptr) : Json(value));  // 0: not in the log
  }
  void operator()(std::string_view name, bool value) const { add(name, value); }
  // Only rows without it are shown.
  void operator()(std::string_view, const std::optional<int64_t>&) const {}
  void operator()(std::string_view, const std::vector<Score>& scores) const {
    for (const char* name : kScoreNames) {
      const auto found = std::ranges::find(scores, name, &Score::name);
      add(name, found == scores.end() ? Json(nullptr) : number(found->value));
    }
  }
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

Json average_of(const ValidationReport* r) {
  if (r == nullptr) return nullptr;
  return {{"step", r->step},
          {"checkpoints", *r->averaged_checkpoints},
          {"loss", number(r->loss)},
          {"perplexity", number(r->perplexity)},
          {"bleu", number(r->score("bleu"))},
          {"chrf", number(r->score("chrf"))}};
}

Json model_of(const std::optional<ModelConfig>& config) {
  if (!config) return nullptr;
  return {{"d_model", config->d_model},
          {"heads", config->heads},
          {"encoder_layers", config->encoder_layers},
          {"decoder_layers", config->decoder_layers},
          {"d_ff", config->d_ff},
          {"vocabulary", config->vocabulary_size}};
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
                                 {"translation", sample->translation},
                                 {"score", number(sample->score)},
                                 {"block", blocks.size()}});
      blocks.push_back(sample->block);
    }
  }
  return all;
}

Json tokenizer_of(const RunMetrics& metrics) {
  for (const ValidationReport& r : metrics.validations)
    if (!r.scores.empty()) return r.scores[0].tokenize;
  return nullptr;
}

Json json_of(const RunHistory& run, std::vector<std::string>& blocks) {
  const RunSummary found = summary(run.metrics);
  check(found.last != nullptr, "a run without a report has no page");
  const TrainReport& last = *found.last;
  const bool running = run.status == RunStatus::running && last.fraction_done > 0;
  Json options = Json::object();
  for (const auto& [name, value] : run.options) options[name] = value;
  return {{"name", run.name},
          {"state", to_text(run.status)},
          {"step", last.step},
          {"epoch", number(last.epoch)},
          {"seconds", number(last.seconds)},
          {"fraction_done", running ? number(last.fraction_done) : Json(nullptr)},
          {"seconds_left", running ? number(last.seconds_left) : Json(nullptr)},
          {"model", model_of(run.config)},
          {"parameters", run.parameters ? Json(*run.parameters) : Json(nullptr)},
          {"options", options},
          {"training_text", run.training_text},
          {"validation_text", run.validation_text},
          {"train", table_of(run.metrics.reports)},
          {"validation", table_of(validations_of_steps(run.metrics))},
          {"average", average_of(found.average)},
          {"bleu_tokenize", tokenizer_of(run.metrics)},
          {"sentences", sentences_of(run.samples, blocks)}};
}

std::string now_in_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

}  // namespace

bool names_one_text(const std::string& option, std::span<const RunHistory> runs) {
  const auto is_one_of = [&](std::initializer_list<const char*> names) {
    return std::ranges::find(names, option) != names.end();
  };
  const auto equal = [&](std::string RunHistory::*text) {
    const RunHistory* first = nullptr;
    for (const RunHistory& run : runs) {
      if (run.options.empty()) continue;
      if (first == nullptr) first = &run;
      if ((run.*text).empty() || run.*text != first->*text) return false;
    }
    return true;
  };
  if (is_one_of({"valid_source", "valid_target", "valid_tsv"}))
    return equal(&RunHistory::validation_text);
  return is_one_of({"source", "target", "tsv"}) && equal(&RunHistory::training_text);
}

RunSummary summary(const RunMetrics& metrics) {
  RunSummary found;
  if (!metrics.reports.empty()) found.last = &metrics.reports.back();
  for (const ValidationReport& r : metrics.validations) {
    if (r.averaged_checkpoints) {
      found.average = &r;
      continue;
    }
    const auto take = [&](const ValidationReport*& best, const auto& value, auto better) {
      if (value(r) && (best == nullptr || better(*value(r), *value(*best)))) best = &r;
    };
    take(
        found.lowest_loss, [](const auto& one) { return one.loss; }, std::less());
    take(
        found.lowest_perplexity, [](const auto& one) { return one.perplexity; }, std::less());
    const auto score = [](const char* name) {
      return [name](const ValidationReport& one) { return one.score(name); };
    };
    take(found.highest_bleu, score("bleu"), std::greater());
    take(found.highest_chrf, score("chrf"), std::greater());
  }
  return found;
}

std::string run_page_html(std::span<const RunHistory> runs, PageOf of) {
  Page page{"run", runs.size() == 1 ? runs[0].name : "Training runs", "", {}};
  Json data = {{"kind", "run"},
               {"live", of == PageOf::run_in_progress},
               {"written", now_in_utc()},
               {"runs", Json::array()}};
  for (const RunHistory& run : runs) data["runs"].push_back(json_of(run, page.blocks));
  page.data = json_text(data);
  return page_html(page);
}

}  // namespace heed
