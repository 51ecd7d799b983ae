// The updates of a training run: batches of examples in a random order, the gradient of their loss,
// Adam. It knows neither files nor clocks.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "heed/data/batches.h"
#include "heed/train/adam.h"
#include "heed/train/gradients.h"
#include "heed/train/task.h"

namespace heed {

struct LoopOptions {
  BatchOptions batches = {};
  int64_t accumulate = 1;  // batches of a step
  int64_t shards = 4;      // parts of a batch, whose gradients are added in a fixed order
  double clip_norm = 0;    // maximum norm of the gradient; 0: any
  Ema ema = Ema::off;
  uint64_t seed = 1;  // of the order of examples and of dropout
};

// The position of a run.
struct LoopPosition {
  int64_t step = 0;   // steps done
  int64_t epoch = 0;  // epochs done
  int64_t batch = 0;  // batches of the current epoch done
  Loss epoch_loss;    // sum over the current epoch so far; between epochs, over the last one
  double tokens = 0;  // (source + target tokens) / 2 of all steps
};

// The result of one step.
struct StepResult {
  int64_t batches = 0;
  Loss loss;
  double tokens = 0;         // (source + target tokens) / 2
  double gradient_norm = 0;  // before clipping

  bool is_finite() const { return std::isfinite(loss.smoothed) && std::isfinite(gradient_norm); }
};

// Whether steps defer the gradients of linear layers (GradientTree::Request::consume). Three
// conditions must hold: all steps are small, judged by the largest that the options and the longest
// example allow; the whole gradient is not needed before the update, for clipping; and deferring is
// faster on the device.
bool defers_gradients(const Tuning& tuning, const LoopOptions& options,
                      const std::vector<Linear>& layers, const Dataset& data);

class TrainingLoop {
 public:
  // The loop begins at `position` and advances it. All must outlive it.
  TrainingLoop(Task& task, const Dataset& data, const LoopOptions& options, LoopPosition& position,
               Backend& backend, Workers& workers);

  // The number of batches of the current epoch; between epochs, of the last one.
  int64_t epoch_batches() const { return epoch_batches_; }
  // Epochs done, with the fraction of the current one.
  double epochs() const;
  // Plans the batches of the current epoch, unless they are planned already.
  void open_epoch();
  // Ends the current epoch before its last batch; nothing between two epochs.
  void end_epoch();
  // The examples of the next batches of the open epoch.
  std::span<const uint32_t> next_batch(int64_t i = 0) const {
    return epoch_->batch(position_.batch + i);
  }
  // The number of batches of the next step.
  int64_t step_batches() const {
    return std::min(options_.accumulate, epoch_->size() - position_.batch);
  }

  // Updates the parameters once, with Adam's settings for this step. If the loss or the gradient is
  // not finite, the position does not advance, and the parameters can no longer be trusted.
  StepResult step(AdamStep adam);
  // Packs the parameters for the backend's products. Necessary after each change by others.
  void pack();
  // Frees the memory of steps, for work between them.
  void release() { gradients_.release(); }

  Adam& adam() { return adam_; }
  const Adam& adam() const { return adam_; }

 private:
  // The examples of a batch of the open epoch.
  std::vector<Example> examples_of(int64_t batch);

  Task& task_;
  const Dataset& data_;
  const LoopOptions options_;
  LoopPosition& position_;
  Backend& backend_;
  Workers& workers_;
  GradientTree gradients_;
  Adam adam_;
  const bool defers_gradients_;
  std::optional<BatchPlan> epoch_;  // empty between two epochs
  int64_t epoch_batches_ = 0;
};

// The sum over all examples, computed on all workers and summed in the order of batches.
Loss loss_of(const Task& task, const Dataset& data, const BatchOptions& batches, Backend& backend,
             Workers& workers);

struct Validation {
  Loss loss = {};
  std::vector<Score> scores = {};  // of the task
};

// The loss of a text, and the scores that the task reports besides it.
Validation validate(const Task& task, const Dataset& data, const BatchOptions& batches,
                    Backend& backend, Workers& workers);

}  // namespace heed
