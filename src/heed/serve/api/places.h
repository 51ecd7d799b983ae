// A bound for how many requests of a kind are computed at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace heed {

class Places {
 public:
  explicit Places(int64_t count) : count_(count) {}

  // A place, which is free again when it is destroyed; null if there is none. From any thread.
  std::shared_ptr<void> take() {
    const auto taken = taken_;
    if (taken->fetch_add(1) >= count_) {
      taken->fetch_sub(1);
      return nullptr;
    }
    return {taken.get(), [taken](void*) { taken->fetch_sub(1); }};
  }

 private:
  const int64_t count_;
  const std::shared_ptr<std::atomic<int64_t>> taken_ = std::make_shared<std::atomic<int64_t>>(0);
};

}  // namespace heed
