// The stages of a run: what each mixes its examples of, and where it ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/mixture.h"
#include "heed/run/train_options.h"

namespace heed {

enum class StageEnd { with_run, epochs, steps, patience };

// Where a stage ends.
struct StageLimit {
  StageEnd end = StageEnd::with_run;
  int64_t count = 0;   // epochs, steps, or validations without improvement
  std::string corpus;  // whose epochs are counted; empty for the first of the mix
  std::string text;    // as it was given
};

// "2 epochs of clean", "1 epoch", "5000 steps", "5 validations without improvement"; an empty text:
// with the run. UsageError if it is none of these.
StageLimit parse_until(const std::string& text);

struct StagePlan {
  MixtureStage mix;
  bool by_size = false;  // the weights are the sizes of the corpora; mix has 1 and 0
  StageLimit limit;

  // With the sizes of the corpora.
  MixtureStage mix_of(const std::vector<MixturePart>& parts) const;
};

// The stages of a run, one if the options name none; empty if they name no corpus. UsageError if
// corpora or stages contradict each other or other options.
std::vector<StagePlan> stages_of(const TrainOptions& options);

// "0.6 clean + 0.4 back-translated, until 2 epochs of clean"
std::string to_string(const StagePlan& stage, const TrainOptions& options);

}  // namespace heed
