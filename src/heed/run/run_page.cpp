#include "heed/run/run_page.h"

#include <chrono>
#include <cmath>
#include <ctime>
#include <map>

#include "heed/core/error.h"
#include "heed/core/json_text.h"
#include "heed/core/options.h"
#include "heed/pages/page.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// More points than a curve has pixels are not seen, and more samples are not read.
constexpr size_t kMostReports = 2000, kMostSamples = 40;

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

// {name: [value_of(*item), ...]} for each of the names.
template <class T>
using Column = std::pair<const char*, Json (*)(const T&)>;

template <class T, size_t N>
Json columns(const std::vector<const T*>& rows, const std::array<Column<T>, N>& all) {
  Json table = Json::object();
  for (const auto& [name, value_of] : all) {
    Json& column = table[name] = Json::array();
    for (const T* row : rows) column.push_back(value_of(*row));
  }
  return table;
}

Json reports_of(const RunMetrics& metrics) {
  using R = TrainReport;
  static constexpr std::array<Column<R>, 9> kColumns{
      {{"step", [](const R& r) { return Json(r.step); }},
       {"epoch", [](const R& r) { return number(r.epoch); }},
       {"loss", [](const R& r) { return number(r.loss); }},
       {"nll", [](const R& r) { return number(r.nll); }},
       {"learning_rate", [](const R& r) { return number(r.learning_rate); }},
       {"gradient_norm", [](const R& r) { return number(r.gradient_norm); }},
       {"tokens_per_second", [](const R& r) { return number(r.tokens_per_second); }},
       {"seconds", [](const R& r) { return number(r.seconds); }},
       {"memory", [](const R& r) { return r.memory > 0 ? Json(r.memory) : Json(nullptr); }}}};
  return columns(thinned(metrics.reports, kMostReports), kColumns);
}

Json bleu_of(const ValidationReport& r) {
  return r.translations ? number(r.translations->bleu) : Json(nullptr);
}

Json chrf_of(const ValidationReport& r) {
  return r.translations ? number(r.translations->chrf) : Json(nullptr);
}

Json validations_of(const RunMetrics& metrics) {
  using R = ValidationReport;
  static constexpr std::array<Column<R>, 8> kColumns{
      {{"step", [](const R& r) { return Json(r.step); }},
       {"epoch", [](const R& r) { return number(r.epoch); }},
       {"loss", [](const R& r) { return number(r.loss); }},
       {"perplexity", [](const R& r) { return number(r.perplexity); }},
       {"bleu", bleu_of},
       {"chrf", chrf_of},
       {"best", [](const R& r) { return Json(r.best); }},
       {"seconds", [](const R& r) { return number(r.seconds); }}}};
  std::vector<R> of_steps;
  for (const R& r : metrics.validations)
    if (r.averaged_checkpoints == 0) of_steps.push_back(r);
  return columns(thinned(of_steps, kMostReports), kColumns);
}

Json average_of(const ValidationReport* r) {
  if (r == nullptr) return nullptr;
  return {{"step", r->step},         {"checkpoints", r->averaged_checkpoints},
          {"loss", number(r->loss)}, {"perplexity", number(r->perplexity)},
          {"bleu", bleu_of(*r)},     {"chrf", chrf_of(*r)}};
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
    for (const StoredSample* sample : thinned(sentence, kMostSamples)) {
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
    if (r.translations) return to_text(r.translations->bleu_tokenizer);
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
          {"train", reports_of(run.metrics)},
          {"validation", validations_of(run.metrics)},
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
