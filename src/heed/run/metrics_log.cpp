#include "heed/run/metrics_log.h"

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "heed/core/counted.h"
#include "heed/core/files.h"
#include "heed/core/strict_json.h"

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

std::string text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Reads the fields of a report. A field that is missing, or null, has no value.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}

  std::optional<double> number(const char* name) {
    const auto found = object_.find(name);
    if (found == object_.end() || found->is_null()) return {};
    if (found->is_number() && found->get<double>() >= 0) return found->get<double>();
    note(name, *found, "a number of at least 0");
    return {};
  }
  double number_or_nan(const char* name) {
    return number(name).value_or(std::numeric_limits<double>::quiet_NaN());
  }
  int64_t count(const char* name) {
    const auto found = object_.find(name);
    if (found == object_.end() || found->is_null()) return 0;
    if (found->is_number_integer() && found->get<double>() >= 0 && found->get<double>() <= 0x1p53)
      return found->get<int64_t>();
    note(name, *found, "a whole number of at least 0");
    return 0;
  }
  std::optional<TranslationScores> scores() {
    const std::optional<double> bleu = number("bleu"), chrf = number("chrf");
    if (!bleu || !chrf) return {};
    TranslationScores scores{*bleu, *chrf, BleuTokenizer::mteval_13a};
    for (const auto& [name, tokenizer] : enum_names(BleuTokenizer{}))
      if (text(object_, "bleu_tokenize") == name) scores.bleu_tokenizer = tokenizer;
    return scores;
  }
  // "step is -5, expected ..."; empty if no value is damaged.
  const std::string& damage() const { return damage_; }

 private:
  void note(const char* name, const Json& got, const char* expected) {
    if (!damage_.empty()) return;
    damage_ = fmt::format("{} is {}, expected {}", name, detail::quote(got), expected);
  }

  const Json& object_;
  std::string damage_;
};

TrainReport train_report(Fields& fields) {
  TrainReport r;
  r.step = fields.count("step");
  r.epoch = fields.number_or_nan("epoch");
  r.loss = fields.number_or_nan("loss");
  r.nll = fields.number_or_nan("nll");
  r.learning_rate = fields.number_or_nan("learning_rate");
  r.gradient_norm = fields.number_or_nan("gradient_norm");
  r.tokens_per_second = fields.number_or_nan("tokens_per_second");
  r.seconds = fields.number_or_nan("seconds");
  r.memory = fields.count("memory");
  return r;
}

ValidationReport validation_report(Fields& fields, const Json& object) {
  ValidationReport r;
  r.step = fields.count("step");
  r.epoch = fields.number_or_nan("epoch");
  r.averaged_checkpoints = fields.count("checkpoints");
  r.train_loss = fields.number("train_loss");
  r.loss = fields.number("loss");
  r.perplexity = fields.number("perplexity");
  r.translations = fields.scores();
  const auto best = object.find("best");
  r.best = best != object.end() && best->is_boolean() && best->get<bool>();
  r.seconds = fields.number_or_nan("seconds");
  return r;
}

// Adds the report of a line; returns what is wrong with it, or nothing.
std::string add_line(const Json& object, RunMetrics& metrics) {
  const std::string kind = object.is_object() ? text(object, "kind") : std::string();
  const bool is_step = kind == "train";
  if (!is_step && kind != "validation" && kind != kAverageKind) return "no report of heed";
  Fields fields(object);
  const TrainReport step = is_step ? train_report(fields) : TrainReport();
  const ValidationReport validation =
      is_step ? ValidationReport() : validation_report(fields, object);
  if (!fields.damage().empty()) return fields.damage();
  if (is_step)
    metrics.reports.push_back(step);
  else
    metrics.validations.push_back(validation);
  return "";
}

}  // namespace

std::string damage_text(const RunMetrics& metrics, const std::filesystem::path& path) {
  return fmt::format("{}: {} left out as damaged or not of heed{} {}", path.string(),
                     detail::counted(metrics.damaged, "line"),
                     metrics.damaged > 1 ? ", the first:" : ":", metrics.first_damage);
}

void MetricsLog::truncate_after(int64_t step) const {
  std::string kept;
  if (step > 0 && std::filesystem::exists(path_)) {
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
      const Json object = Json::parse(line, nullptr, false);
      const bool known = object.is_object() && object.contains("step") &&
                         object["step"].is_number_integer() && object["step"].get<double>() >= 0;
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
  int64_t number = 1;
  for (std::string line; std::getline(lines, line); ++number) {
    const bool cut_short = lines.eof();
    const std::string damage = add_line(Json::parse(line, nullptr, false), metrics);
    if (damage.empty() || cut_short) continue;
    if (++metrics.damaged == 1) metrics.first_damage = fmt::format("line {}: {}", number, damage);
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
