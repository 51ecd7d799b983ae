// The training state: everything that resuming a run needs, in one file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heed/train/adam.h"
#include "heed/train/checkpoints.h"
#include "heed/train/train_options.h"

namespace heed {

// How far a run is.
struct Progress {
  int64_t step = 0;        // steps done
  int64_t epoch = 0;       // epochs done
  int64_t batch = 0;       // batches of the current epoch done
  int64_t since_best = 0;  // validations since the best one
  std::optional<double> best;
  double seconds = 0;  // of the run: preparation, steps, validations and saving
  Loss epoch_loss;     // of the current epoch so far
  double tokens = 0;   // mean of source and target tokens, all steps
  bool finished = false;
  std::vector<Checkpoint> checkpoints;  // whose files exist, oldest first
};

// What a training state belongs to.
struct TrainingStateKey {
  TrainOptions options;
  std::string backend;                                  // name, with its instruction set
  uint64_t text_fingerprint;                            // of the training text and the tokenizers
  std::optional<uint64_t> validation_fingerprint = {};  // of the validation text
  DType compute = DType::f32;                           // which `backend` computes in
};

// Writes adam's parameters, their moments and moving average (if any), and progress, replacing the
// file at once or not at all.
void save_training_state(const std::filesystem::path& path, const TrainingStateKey& key,
                         const Progress& progress, const Adam& adam);

// UsageError where the file belongs to other options, another compute type, another training or
// validation text or (unless allowed) another instruction set; Error where it is damaged. For the
// time before the text is encoded: where the options do not say at which step a schedule ends, that
// is not compared yet.
void expect_same_run(const std::filesystem::path& path, TrainingStateKey key);

// Reads them back into the tensors of adam: its parameters, moments and average. Error where the
// file is damaged; UsageError as from expect_same_run, the end of the schedule included.
Progress load_training_state(const std::filesystem::path& path, const TrainingStateKey& key,
                             Adam& adam);

}  // namespace heed
