#include "heed/train/gradient_buffers.h"

namespace heed {

void GradientBuffers::begin(int64_t size, int64_t limit) {
  if (size != size_) release();
  size_ = size;
  limit_ = limit;
}

Tensor GradientBuffers::take() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [&] { return !free_.empty() || allocated_ < limit_ || running_ == 0; });
  Tensor buffer;
  if (!free_.empty()) {
    buffer = std::move(free_.back());
    free_.pop_back();
  } else {
    buffer = Tensor({size_}, dtype_, memory_);
    ++allocated_;
  }
  ++running_;  // after the allocation: if that fails, others must not wait for this shard
  return buffer;
}

void GradientBuffers::end_shard() {
  {
    std::lock_guard lock(mutex_);
    --running_;
  }
  freed_.notify_all();
}

void GradientBuffers::free(Tensor buffer) {
  {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffer));
  }
  freed_.notify_one();
}

void GradientBuffers::release() {
  free_.clear();
  allocated_ = 0;
}

}  // namespace heed
