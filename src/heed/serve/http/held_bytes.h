// Memory that a server holds for requests.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace heed::detail {

// The bytes that all requests hold together, and their limit. Any thread may use it.
class RequestMemory {
 public:
  explicit RequestMemory(int64_t limit) : limit_(limit) {}
  int64_t held() const { return held_; }

  void add(int64_t bytes) { held_ += bytes; }
  // For an owner who holds `own` bytes of these. False, and nothing is added, if it would then hold
  // more than half of what the others leave: however much a few hold, others find room.
  bool try_add(int64_t own, int64_t more) {
    int64_t held = held_;
    do {
      if (own + more > (limit_ - (held - own)) / 2) return false;
    } while (!held_.compare_exchange_weak(held, held + more));
    return true;
  }

 private:
  const int64_t limit_;
  std::atomic<int64_t> held_{0};
};

// The share of one owner, which calls it from one thread at a time.
class HeldBytes {
 public:
  explicit HeldBytes(std::shared_ptr<RequestMemory> all) : all_(std::move(all)) {}
  ~HeldBytes() { clear(); }
  // Takes over the bytes of the other one.
  HeldBytes(HeldBytes&& other) noexcept
      : all_(other.all_), bytes_(std::exchange(other.bytes_, 0)) {}

  // False, and nothing changes, as RequestMemory::try_add(). Less than before is always possible.
  bool try_set(int64_t bytes) {
    const int64_t more = bytes - bytes_;
    if (more > 0 && !all_->try_add(bytes_, more)) return false;
    if (more < 0) all_->add(more);
    bytes_ = bytes;
    return true;
  }
  void clear() { try_set(0); }

 private:
  const std::shared_ptr<RequestMemory> all_;
  int64_t bytes_ = 0;
};

}  // namespace heed::detail
