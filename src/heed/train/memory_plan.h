// What a training will take, counted before its first step.
#pragma once

#include <functional>
#include <string>

#include "heed/backend/backend.h"
#include "heed/core/memory.h"
#include "heed/model/transformer.h"
#include "heed/text/corpus.h"
#include "heed/train/train_options.h"

namespace heed {

// In bytes, at the peak of a step: the most that training holds, since what it does between steps
// (validating, saving) begins with what a step needs being given back.
struct MemoryPlan {
  int64_t before = 0;       // the most until now, which learning the vocabulary took
  int64_t held = 0;         // already: the program, the text, the vocabulary
  int64_t weights = 0;      // and the table of positions
  int64_t moments = 0;      // Adam's two
  int64_t ema = 0;          // of the weights (--ema)
  int64_t packed = 0;       // the forms that the backend multiplies
  int64_t gradients = 0;    // sums and shards at once
  int64_t activations = 0;  // of the largest shards, on every thread, and the kernels' own memory

  // What is still to be taken, and the whole.
  int64_t growth() const;
  int64_t total() const { return held + growth(); }
};

// "812 MiB: weights 60 MiB, ...": one line for a log.
std::string to_string(const MemoryPlan& plan);

// Whether a run defers the gradients of linear layers (GradientTree::Request::consume): all its
// steps are small, judged by the largest that the options and the longest sentence allow, and
// nothing needs the whole gradient before the update, as clipping does.
bool defers_gradients(const TrainOptions& options, const ModelConfig& config, const Corpus& corpus);

// The part of the plan that the parameters alone decide.
MemoryPlan plan_parameters(const TrainOptions& options, const ModelConfig& config,
                           const Backend& backend);

// Counts by doing: the training's own code runs over the largest shards of the first epoch, on
// tensors that have shapes and no values. `held` is what the process holds now.
MemoryPlan plan_memory(const TrainOptions& options, const ModelConfig& config,
                       const Backend& backend, const Corpus& corpus);

// Error where the parameters alone ask for more than the limit leaves.
void require_fit(const MemoryPlan& parameters, const MemoryLimit& limit);

// Error where the plan asks for more than the limit leaves: how much, of what, and which batch size
// would fit.
void require_fit(const MemoryPlan& plan, const MemoryLimit& limit, const BatchOptions& batches,
                 const Corpus& corpus,
                 const std::function<MemoryPlan(const BatchOptions&)>& plan_for);

}  // namespace heed
