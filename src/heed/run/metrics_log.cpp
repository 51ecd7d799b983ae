#include "heed/run/metrics_log.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "heed/core/counted.h"
#include "heed/core/files.h"
#include "heed/core/options.h"
#include "heed/core/strict_json.h"
#include "heed/evaluate/tokenizers.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAverageKind = "average";

// Adds the fields of a report to an object, but for those without a value.
struct FieldWriter {
  Json& object;

  void operator()(const char* name, const auto& value) const { object[name] = value; }
  template <class T>
  void operator()(const char* name, const std::optional<T>& value) const {
    if (value) object[name] = *value;
  }
  void operator()(const char*, const std::vector<Score>& scores) const {
    for (const Score& score : scores) {
      object[score.name] = score.value;
      if (!score.tokenize.empty()) object[score.name + "_tokenize"] = score.tokenize;
    }
  }
  void operator()(const char* name, const std::vector<CorpusCount>& corpora) const {
    for (const CorpusCount& corpus : corpora) object[name][corpus.name] = corpus.examples;
  }
  void operator()(const char* name, const std::vector<TextValidation>& texts) const {
    for (const TextValidation& text : texts)
      TextValidation::visit(text, FieldWriter{object[name][text.name]});
  }
};

template <class Report>
void append(const std::filesystem::path& path, const char* kind, const Report& report) {
  Json object = {{"kind", kind}};
  Report::visit(report, FieldWriter{object});
  append_to_file(path, object.dump() + '\n');
}

std::string text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Reads the fields of a report. A field that is missing, or null, has no value.
class FieldReader {
 public:
  explicit FieldReader(const Json& object) : object_(object) {}

  void operator()(const char* name, std::optional<double>& value) {
    const Json* found = find(name);
    if (found == nullptr) return;
    if (found->is_number() && found->get<double>() >= 0)
      value = found->get<double>();
    else
      note(name, *found, "a number of at least 0");
  }
  void operator()(const char* name, double& value) {
    std::optional<double> number;
    (*this)(name, number);
    value = number.value_or(std::numeric_limits<double>::quiet_NaN());
  }
  void operator()(const char* name, int64_t& value) {
    const Json* found = find(name);
    if (found == nullptr) return;
    if (found->is_number_integer() && found->get<double>() >= 0 && found->get<double>() <= 0x1p53)
      value = found->get<int64_t>();
    else
      note(name, *found, "a whole number of at least 0");
  }
  void operator()(const char* name, std::optional<int64_t>& value) {
    int64_t count = 0;
    (*this)(name, count);
    if (count > 0) value = count;
  }
  void operator()(const char* name, bool& value) const {
    const Json* found = find(name);
    value = found != nullptr && *found == Json(true);
  }
  void operator()(const char*, std::vector<Score>& scores) {
    for (const auto& [name, title] : kScoreNames) {
      std::optional<double> value;
      (*this)(name, value);
      if (value) scores.push_back({name, title, *value, tokenizer_of(name)});
    }
  }
  void operator()(const char* name, std::vector<CorpusCount>& corpora) {
    const Json* found = find(name);
    if (found == nullptr) return;
    if (!found->is_object()) return note(name, *found, "numbers of examples by corpus");
    for (const auto& [corpus, value] : found->items()) {
      int64_t examples = 0;
      FieldReader count(*found);
      count(corpus.c_str(), examples);
      if (damage_.empty()) damage_ = count.damage();
      corpora.push_back({corpus, examples});
    }
  }
  void operator()(const char* name, std::vector<TextValidation>& texts) {
    const Json* found = find(name);
    if (found == nullptr) return;
    if (!found->is_object()) return note(name, *found, "validations by the name of a text");
    for (const auto& [text, fields] : found->items()) {
      if (!fields.is_object()) return note(text.c_str(), fields, "the validation of a text");
      TextValidation validation{.name = text};
      FieldReader reader(fields);
      TextValidation::visit(validation, reader);
      if (damage_.empty()) damage_ = reader.damage();
      texts.push_back(std::move(validation));
    }
  }
  // "step is -5, expected ..."; empty if no value is damaged.
  const std::string& damage() const { return damage_; }

 private:
  // Null if there is no such field, or if it has no value.
  const Json* find(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }
  std::string tokenizer_of(const std::string& score) const {
    if (score != "bleu") return "";
    std::string named = text(object_, "bleu_tokenize");
    for (const auto& [known, tokenizer] : enum_names(BleuTokenizer{}))
      if (named == known) return named;
    return to_text(BleuTokenizer::mteval_13a);
  }
  void note(const char* name, const Json& got, const char* expected) {
    if (!damage_.empty()) return;
    damage_ = fmt::format("{} is {}, expected {}", name, detail::quote(got), expected);
  }

  const Json& object_;
  std::string damage_;
};

// Appends the report that an object holds, unless that is damaged; returns the damage.
template <class Report>
std::string add_report(const Json& object, std::vector<Report>& reports) {
  Report report;
  FieldReader reader(object);
  Report::visit(report, reader);
  if (reader.damage().empty()) reports.push_back(std::move(report));
  return reader.damage();
}

// Adds the report of a line; returns the damage, if there is any.
std::string add_line(const Json& object, RunMetrics& metrics) {
  const std::string kind = object.is_object() ? text(object, "kind") : std::string();
  if (kind == "train") return add_report(object, metrics.reports);
  if (kind == "validation" || kind == kAverageKind) return add_report(object, metrics.validations);
  return "no report of heed";
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

void MetricsLog::add(const TrainReport& report) const {
  append(path_, "train", report);
}

void MetricsLog::add(const ValidationReport& report) const {
  append(path_, report.averaged_checkpoints ? kAverageKind : "validation", report);
}

}  // namespace heed
