// The memory that a training run will need, computed before its first step.
#pragma once

#include <functional>
#include <string>

#include "heed/backend/backend.h"
#include "heed/core/memory.h"
#include "heed/data/dataset.h"
#include "heed/model/config.h"
#include "heed/train/training_loop.h"

namespace heed {

// Bytes at the peak of a step, which is the peak of training: validating and saving free the memory
// of a step first.
struct MemoryPlan {
  int64_t peak_so_far = 0;     // of the process, usually reached while learning the vocabulary
  int64_t resident = 0;        // in use now: the program, the text, the vocabulary
  int64_t weights = 0;         // with the table of positional encodings
  int64_t moments = 0;         // Adam's two moments
  int64_t ema = 0;             // exponential moving average of the weights (--ema)
  int64_t packed_weights = 0;  // copies in the layout of the backend's matrix products
  int64_t gradients = 0;       // full-size buffers alive at the same time
  int64_t activations = 0;     // of the largest shards on every thread, with the kernels' memory

  // Bytes still to be allocated up to the peak of a step, and that peak.
  int64_t to_allocate() const;
  int64_t total() const { return resident + to_allocate(); }
};

// "812 MiB: weights 60 MiB, ...": one line for a log.
std::string to_string(const MemoryPlan& plan);

// The part of the plan that depends on the parameters alone.
MemoryPlan plan_parameters(Ema ema, const ModelConfig& config, const Backend& backend);

// A dry run: the training code itself runs over the largest shards of the first epoch, on tensors
// that have shapes but no values (backend/meta_backend.h), as on PyTorch's meta device.
MemoryPlan plan_memory(const LoopOptions& options, int threads, const ModelConfig& config,
                       const Backend& backend, const Dataset& data);

// Error if the parameters alone need more memory than the limit leaves.
void require_fit(const MemoryPlan& parameters, const MemoryLimit& limit);

// Error if the plan needs more memory than the limit leaves. It says how much, for what, and which
// batch size would fit.
void require_fit(const MemoryPlan& plan, const MemoryLimit& limit, const BatchOptions& batches,
                 const Dataset& data,
                 const std::function<MemoryPlan(const BatchOptions&)>& plan_for);

}  // namespace heed
