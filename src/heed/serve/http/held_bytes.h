// Memory that a server holds for requests.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace heed::detail {

// What all requests hold together, and the limit for it. Any thread may use it.
class RequestMemory {
 public:
  explicit RequestMemory(int64_t limit) : limit_(limit) {}
  int64_t held() const { return held_; }

  void add(int64_t bytes) { held_ += bytes; }
  // False, and nothing is added, if it would exceed the limit.
  bool try_add(int64_t bytes) {
    if (held_.fetch_add(bytes) + bytes <= limit_) return true;
    held_ -= bytes;
    return false;
  }

 private:
  const int64_t limit_;
  std::atomic<int64_t> held_{0};
};

// The share of one owner, who calls it from one thread at a time.
class HeldBytes {
 public:
  explicit HeldBytes(std::shared_ptr<RequestMemory> all) : all_(std::move(all)) {}
  ~HeldBytes() { clear(); }
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;

  // False, and nothing changes, if all together would be more than the limit. Less than before is
  // always possible.
  bool try_set(int64_t bytes) {
    const int64_t more = bytes - bytes_;
    if (more > 0 && !all_->try_add(more)) return false;
    if (more < 0) all_->add(more);
    bytes_ = bytes;
    return true;
  }
  void clear() { try_set(0); }
  // Takes over what the other one holds.
  void take(HeldBytes& other) { bytes_ += std::exchange(other.bytes_, 0); }

 private:
  const std::shared_ptr<RequestMemory> all_;
  int64_t bytes_ = 0;
};

}  // namespace heed::detail
