// Buffers for whole gradients, with a maximum number that exist at the same time.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "heed/core/tensor.h"

namespace heed {

// A worker that needs one buffer too many waits until a slower worker frees one, so that the memory
// of a run does not depend on timing.
class GradientBuffers {
 public:
  GradientBuffers(DType dtype, std::shared_ptr<TensorMemory> memory)
      : dtype_(dtype), memory_(std::move(memory)) {}

  // Begins a step whose buffers have this number of elements. Buffers of that size are kept.
  void begin(int64_t size, int64_t limit);
  int64_t size() const { return size_; }

  // A buffer for a shard that is about to be computed; end_shard() follows, however that ends.
  // Exceeds the limit where no shard is being computed, since no thread could free a buffer then.
  Tensor take();
  void end_shard();
  void free(Tensor buffer);
  // Frees the memory of all that were given back; the others are forgotten.
  void release();

 private:
  const DType dtype_;
  const std::shared_ptr<TensorMemory> memory_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<Tensor> free_;
  int64_t allocated_ = 0, limit_ = 0;  // buffers allocated, and their maximum
  int64_t size_ = 0;
  int running_ = 0;  // shards being computed
};

}  // namespace heed
