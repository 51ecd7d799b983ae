// What is known of a training run from the files in its directory.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/model/config.h"
#include "heed/run/metrics_log.h"
#include "heed/run/samples_log.h"

namespace heed {

// Unknown: without a training state.
enum class RunStatus { running, complete, interrupted, unknown };
constexpr std::array<std::pair<std::string_view, RunStatus>, 4> enum_names(RunStatus) {
  return {{{"running", RunStatus::running},
           {"complete", RunStatus::complete},
           {"interrupted", RunStatus::interrupted},
           {"unknown", RunStatus::unknown}}};
}

struct RunHistory {
  std::string name;  // as a reader knows the run: its directory
  RunStatus status = RunStatus::running;
  std::optional<ModelConfig> config;
  std::optional<int64_t> parameters;
  // As set_options() gives them. Empty if the directory has no training state.
  std::vector<std::pair<std::string, std::string>> options;
  // Hashes of the validation text, and of the training text with its vocabulary, as the training
  // state has them: equal where the files have other names. Empty where it has none.
  std::string validation_text, training_text;
  RunMetrics metrics;
  std::vector<StoredSample> samples;
  // What could not be read, in sentences for the user.
  std::vector<std::string> warnings;
};

// The options of a JSON object (to_json()) that are set, as text, without that of the directory.
std::vector<std::pair<std::string, std::string>> set_options(const std::string& json);

// Whether an option names files of text which all of these runs have in common, whatever its value.
bool names_one_text(const std::string& option, std::span<const RunHistory> runs);

// Reads the run of a directory. Its options, which need not be those of this version of heed, are
// those of its training state. What is damaged is left out, with a warning. Error if there is no
// metrics.jsonl, or if that has no report.
RunHistory read_run(const std::filesystem::path& directory);

// A run's last report and validations, as tables have them.
struct RunSummary {
  const TrainReport* last = nullptr;  // of the last step
  // The validations with the best value of each, if any has it.
  const ValidationReport* lowest_loss = nullptr;
  const ValidationReport* lowest_perplexity = nullptr;
  const ValidationReport* highest_bleu = nullptr;
  const ValidationReport* highest_chrf = nullptr;
  const ValidationReport* average = nullptr;  // of checkpoints
};
RunSummary summary(const RunMetrics& metrics);

}  // namespace heed
