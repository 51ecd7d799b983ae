#include "heed/run/run_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "heed/core/directory_lock.h"
#include "heed/core/error.h"
#include "heed/model/directory.h"
#include "heed/model/safetensors.h"
#include "heed/run/metrics_log.h"
#include "heed/run/run_files.h"
#include "heed/run/samples_log.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

std::string as_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Adds the facts in a training state.
void add_training_state(const std::filesystem::path& path, RunHistory& run) {
  const SafetensorsFile file(path);
  const auto options = file.metadata().find("options"), progress = file.metadata().find("progress");
  if (options == file.metadata().end() || progress == file.metadata().end())
    fail("{}: no training state of heed", path.string());
  run.options = set_options(options->second);
  const auto hash = [&](const char* name) {
    const auto found = file.metadata().find(name);
    return found == file.metadata().end() ? std::string() : found->second;
  };
  run.validation_text = hash("validation");
  run.training_text = hash("text");
  const Json object = Json::parse(progress->second, nullptr, false);
  const bool complete = object.is_object() && object.value("finished", Json()) == Json(true);
  run.status = complete ? RunStatus::complete : RunStatus::interrupted;
  int64_t parameters = 0;
  for (const StoredTensor& tensor : file.tensors())
    if (tensor.name.starts_with("parameter.")) parameters += element_count(tensor.shape);
  run.parameters = parameters;
}

// A file that adds to a run, which is shown without it if it cannot be read.
void read_or_warn(RunHistory& run, const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    run.warnings.emplace_back(error.what());
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> set_options(const std::string& json) {
  std::vector<std::pair<std::string, std::string>> options;
  const Json object = Json::parse(json, nullptr, false);
  if (!object.is_object()) return options;
  for (const auto& [name, value] : object.items()) {
    const bool unset = value.is_null() || (value.is_array() && value.empty());
    const std::string text = as_text(value);
    if (!unset && !text.empty() && name != "model") options.emplace_back(name, text);
  }
  return options;
}

RunHistory read_run(const std::filesystem::path& directory) {
  const RunFiles files{directory};
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error))
    fail("{}: {}; expected the directory of a run, the --model of heed train", directory.string(),
         std::filesystem::exists(directory, error) ? "not a directory" : "no such directory");
  if (!std::filesystem::exists(files.metrics(), error))
    fail("{}: no metrics.jsonl: not the directory of a run, the --model of heed train",
         directory.string());
  RunHistory run;
  run.name = directory.string();
  run.metrics = MetricsLog(files.metrics()).read();
  if (run.metrics.reports.empty())
    fail("{}: {}", files.metrics().string(),
         run.metrics.damaged > 0
             ? "none of its lines is a report of a step; " + run.metrics.first_damage
             : "has no report of a step yet");
  if (run.metrics.damaged > 0) run.warnings.push_back(damage_text(run.metrics, files.metrics()));
  read_or_warn(run, [&] { run.samples = SamplesLog(files.samples()).read(); });
  run.status = RunStatus::unknown;
  read_or_warn(run, [&] {
    if (files.has_training_state()) add_training_state(files.training_state(), run);
  });
  if (is_locked(directory)) run.status = RunStatus::running;
  if (holds_model(directory)) run.config = read_config(directory);
  return run;
}

}  // namespace heed
