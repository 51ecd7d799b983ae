// The training state: one file with everything that is needed to resume a run.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heed/run/checkpoints.h"
#include "heed/run/followed_scores.h"
#include "heed/run/train_options.h"
#include "heed/train/training_loop.h"

namespace heed {

// The tensors of a training state are named by a prefix and the name of a parameter.
struct StatePrefix {
  static constexpr const char* parameter = "parameter.";
  static constexpr const char* first_moment = "first_moment.";
  static constexpr const char* second_moment = "second_moment.";
  static constexpr const char* ema = "ema.";
  static constexpr std::array all = {parameter, first_moment, second_moment, ema};
};

// Where a stage began.
struct StageBegin {
  int64_t step = 0, epoch = 0;
};

// The progress of a run.
struct Progress : LoopPosition {
  int64_t since_best = 0;                    // validations since the best one
  std::optional<double> best;                // its score
  std::vector<FollowedScore> followed = {};  // with --patience-on any, all or --keep-best
  double seconds = 0;  // of the run: preparation, steps, validations and saving
  bool done = false;
  // The number of steps that --minutes allows, estimated once, where the schedule ends with them
  // (RunSettings::awaits_decay_steps()). It is the run's --decay-steps and, from then on, its end.
  std::optional<int64_t> decay_steps = {};
  std::vector<Checkpoint> checkpoints;  // whose files exist, oldest first
  // With corpora: the stages that have begun, and the examples that were drawn of each corpus.
  std::vector<StageBegin> stages = {};
  std::vector<int64_t> drawn = {};
};

// Identifies a run: what must be the same on --resume.
struct RunIdentity {
  TrainOptions options;
  std::string backend;                                  // name, with its instruction set
  uint64_t text_fingerprint;                            // of the training text and the tokenizers
  std::optional<uint64_t> validation_fingerprint = {};  // of the validation text
  DType compute = DType::fp32;                          // which `backend` computes in
};

// Writes adam's parameters, their moments and EMA (if any), and the progress. The file is replaced
// atomically.
void save_training_state(const std::filesystem::path& path, const RunIdentity& identity,
                         const Progress& progress, const Adam& adam);

// UsageError if the file belongs to a run with other options, another compute type, another
// training or validation text or (unless allowed) another instruction set; Error if it is damaged.
// This check is for the time before the text is encoded: --decay-steps is not compared if it is not
// known yet.
void expect_same_run(const std::filesystem::path& path, RunIdentity identity);

// A fingerprint of text as training states have it.
std::string fingerprint_text(uint64_t fingerprint);

// The options of the run, with defaults (RunSettings::options). Error if the file is damaged or of
// another version of heed.
TrainOptions stored_options(const std::filesystem::path& path);

// Reads adam's parameters, moments and EMA into its tensors, and returns the progress. Error if the
// file is damaged; UsageError as from expect_same_run, here with --decay-steps, which is that of
// the progress if --minutes determines it.
Progress load_training_state(const std::filesystem::path& path, RunIdentity identity, Adam& adam);

}  // namespace heed
