#include "heed/train/metrics_log.h"

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "heed/core/files.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAverageKind = "average";

void append(const std::filesystem::path& path, const Json& object) {
  append_to_file(path, object.dump() + '\n');
}

void put(Json& object, const char* name, const std::optional<double>& value) {
  if (value) object[name] = *value;
}

std::optional<double> number(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return {};
  return found->get<double>();
}

double number_or_nan(const Json& object, const char* name) {
  return number(object, name).value_or(std::numeric_limits<double>::quiet_NaN());
}

std::string text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// A count; 0 if it is missing or damaged.
int64_t count(const Json& object, const char* name) {
  const double value = number(object, name).value_or(0);
  return value >= 0 && value <= 0x1p53 ? int64_t(value) : 0;
}

TrainReport train_report(const Json& object) {
  TrainReport r;
  r.step = count(object, "step");
  r.epoch = number_or_nan(object, "epoch");
  r.loss = number_or_nan(object, "loss");
  r.nll = number_or_nan(object, "nll");
  r.learning_rate = number_or_nan(object, "learning_rate");
  r.gradient_norm = number_or_nan(object, "gradient_norm");
  r.tokens_per_second = number_or_nan(object, "tokens_per_second");
  r.seconds = number_or_nan(object, "seconds");
  r.memory = count(object, "memory");
  return r;
}

ValidationReport validation_report(const Json& object) {
  ValidationReport r;
  r.step = count(object, "step");
  r.epoch = number_or_nan(object, "epoch");
  r.averaged_checkpoints = count(object, "checkpoints");
  r.train_loss = number(object, "train_loss");
  r.loss = number(object, "loss");
  r.perplexity = number(object, "perplexity");
  const std::optional<double> bleu = number(object, "bleu"), chrf = number(object, "chrf");
  if (bleu && chrf) {
    r.translations = {*bleu, *chrf, BleuTokenizer::mteval_13a};
    for (const auto& [name, tokenizer] : enum_names(BleuTokenizer{}))
      if (text(object, "bleu_tokenize") == name) r.translations->bleu_tokenizer = tokenizer;
  }
  const auto best = object.find("best");
  r.best = best != object.end() && best->is_boolean() && best->get<bool>();
  r.seconds = number_or_nan(object, "seconds");
  return r;
}

}  // namespace

void MetricsLog::truncate_after(int64_t step) const {
  std::string kept;
  if (step > 0 && std::filesystem::exists(path_)) {
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
      const Json object = Json::parse(line, nullptr, false);
      const bool known =
          object.is_object() && object.contains("step") && object["step"].is_number_integer();
      const bool average = known && object.value("kind", Json()) == kAverageKind;
      if (known && !average && object["step"].get<int64_t>() <= step) kept += line + '\n';
    }
  }
  write_file_atomically(path_, kept);
}

RunMetrics MetricsLog::read() const {
  RunMetrics metrics;
  std::error_code error;  // none where there is no file
  if (!std::filesystem::exists(path_, error) && !error) return metrics;
  std::istringstream lines(read_file(path_));
  for (std::string line; std::getline(lines, line);) {
    const bool cut_short = lines.eof();
    const Json object = Json::parse(line, nullptr, false);
    const std::string kind = object.is_object() ? text(object, "kind") : std::string();
    if (kind == "train")
      metrics.reports.push_back(train_report(object));
    else if (kind == "validation" || kind == kAverageKind)
      metrics.validations.push_back(validation_report(object));
    else if (!cut_short)
      ++metrics.damaged;
  }
  return metrics;
}

void MetricsLog::add(const TrainReport& r) const {
  append(path_, {{"kind", "train"},
                 {"step", r.step},
                 {"epoch", r.epoch},
                 {"loss", r.loss},
                 {"nll", r.nll},
                 {"learning_rate", r.learning_rate},
                 {"gradient_norm", r.gradient_norm},
                 {"tokens_per_second", r.tokens_per_second},
                 {"seconds", r.seconds},
                 {"memory", r.memory}});
}

void MetricsLog::add(const ValidationReport& r) const {
  Json object = {{"kind", r.averaged_checkpoints > 0 ? kAverageKind : "validation"},
                 {"step", r.step},
                 {"epoch", r.epoch}};
  if (r.averaged_checkpoints > 0) object["checkpoints"] = r.averaged_checkpoints;
  put(object, "train_loss", r.train_loss);
  put(object, "loss", r.loss);
  put(object, "perplexity", r.perplexity);
  if (r.translations) {
    object["bleu"] = r.translations->bleu;
    object["bleu_tokenize"] = name(r.translations->bleu_tokenizer);
    object["chrf"] = r.translations->chrf;
  }
  object["best"] = r.best;
  object["seconds"] = r.seconds;
  append(path_, object);
}

}  // namespace heed
