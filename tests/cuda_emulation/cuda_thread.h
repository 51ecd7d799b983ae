// A thread of a kernel, on the host: what src/heed/backend/cuda/hardware/cuda_thread.h is on the
// hardware, for tests. Blocks run one after the other in random order, the threads of a block as
// fibers that take turns in random order between barriers, now one by one, now a warp as far as it
// can go. Shared memory begins as NaN and each piece of it has a block of the heap of its own, so
// that AddressSanitizer sees a stray access. A kernel that waits where some threads never come
// fails, and so does a warp whose lanes exchange values at different places.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <source_location>

#include "heed/backend/cuda/device.h"

namespace heed::cuda {

constexpr int kWarp = 32;

namespace detail {

class Block;
using Site = std::source_location;  // of a call in a kernel

void barrier(Block& block, const Site& site);
// Waits for all lanes of the warp; then the result is what lane `from` passed.
uint64_t exchange(Block& block, uint64_t value, int from, const Site& site);
void* take_shared(Block& block, int number, int64_t bytes);

struct Place {
  Block* block;
  int64_t number, count;  // of the block
  int index, threads;
};
void run_blocks(int64_t blocks, int threads, int64_t shared_bytes,
                const std::function<void(const Place&)>& kernel);

}  // namespace detail

class Thread {
 public:
  explicit Thread(const detail::Place& place) : place_(place) {}

  int64_t block() const { return place_.number; }
  int64_t blocks() const { return place_.count; }
  int index() const { return place_.index; }
  int threads() const { return place_.threads; }
  int lane() const { return place_.index % kWarp; }
  int warp() const { return place_.index / kWarp; }
  int warps() const { return place_.threads / kWarp; }

  void barrier(const detail::Site& site = detail::Site::current()) const {
    detail::barrier(*place_.block, site);
  }
  template <class T>
  T shuffle_xor(T value, int mask, const detail::Site& site = detail::Site::current()) const {
    return shuffle(value, lane() ^ mask, site);
  }
  template <class T>
  T shuffle(T value, int from, const detail::Site& site = detail::Site::current()) const {
    static_assert(sizeof(T) <= sizeof(uint64_t));
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    bits = detail::exchange(*place_.block, bits, from, site);
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }

 private:
  friend class SharedMemory;
  detail::Place place_;
};

class SharedMemory {
 public:
  explicit SharedMemory(const Thread& thread) : block_(*thread.place_.block) {}
  template <class T>
  T* take(int64_t count) {
    return static_cast<T*>(detail::take_shared(block_, number_++, count * int64_t(sizeof(T))));
  }

 private:
  detail::Block& block_;
  int number_ = 0;
};

template <int kThreads, class Kernel>
void launch(int64_t blocks, int64_t shared_bytes, const Kernel& kernel) {
  static_assert(kThreads % kWarp == 0);
  detail::run_blocks(blocks, kThreads, shared_bytes,
                     [&kernel](const detail::Place& place) { kernel(Thread(place)); });
}

}  // namespace heed::cuda
