// Training runs as recorded in their files; and one or several as text, as JSON and as a page:
// curves, options, sample outputs.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/model/config.h"
#include "heed/train/reports.h"

namespace heed {

// The scores that a log may have of a validation: their names there, and those for readers.
struct ScoreName {
  const char* name;
  const char* title;
};
inline constexpr std::array<ScoreName, 4> kScoreNames = {
    {{"bleu", "BLEU"}, {"chrf", "chrF"}, {"brackets", "bracket F1"}, {"accuracy", "accuracy"}}};

// The reports of a log: TrainReport without what only a run in progress knows (fraction_done,
// seconds_left).
struct RunMetrics {
  std::vector<TrainReport> reports;
  std::vector<ValidationReport> validations;  // and averages of checkpoints
  int64_t damaged = 0;                        // lines that are neither, or have an impossible value
  std::string first_damage;  // "line 3: step is -5, expected a whole number of at least 0"
};

// The output of the model for a line of the validation text, after a step (tasks/sample_outputs.h).
struct StoredSample {
  int64_t step = 0;
  std::string source, reference, output;
  std::optional<double> score = {};
  // Pieces, probabilities and attention by page_block(); nothing where the output has none.
  std::optional<std::string> block = {};
};

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
  // The options that are set, by set_options(). Empty if the directory has no training state.
  std::vector<std::pair<std::string, std::string>> options;
  // Hashes of the validation text, and of the training text with its vocabulary, as the training
  // state has them: equal where the files have other names. Empty where it has none.
  std::string validation_text, training_text;
  RunMetrics metrics;
  std::vector<StoredSample> samples;
  // Sentences for the user about files that could not be read.
  std::vector<std::string> warnings;
};

// The names of the options whose values differ, in the order of the runs' options, but for other
// names of the same text. Runs without options are not compared.
std::vector<std::string> differing_options(std::span<const RunHistory> runs);

// A run's last report and validations, as tables have them.
struct RunSummary {
  const TrainReport* last = nullptr;  // of the last step
  // The validations with the best value of each, of `highest` each score, if any has it.
  const ValidationReport* lowest_loss = nullptr;
  const ValidationReport* lowest_perplexity = nullptr;
  std::array<const ValidationReport*, kScoreNames.size()> highest = {};
  const ValidationReport* average = nullptr;  // of checkpoints
};
RunSummary summary(const RunMetrics& metrics);

// `runs` have at least one report each here and below. A line for each run and its best values,
// then the options: all of one run, those that differ of several.
std::string runs_text(std::span<const RunHistory> runs);

// {"runs": [{"name": ..., "step": ..., "options": {...}, ...}], "differing_options": [...]}
std::string runs_json(std::span<const RunHistory> runs);

enum class PageOf { run_in_progress, files };

// One HTML file. `of` is run_in_progress if the run will write the page again: a reader is then
// offered to reload it.
std::string run_page_html(std::span<const RunHistory> runs, PageOf of);

}  // namespace heed
