// What several kernels are made of.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "cuda_thread.h"
#include "heed/backend/cuda/bf16-inl.h"
#include "heed/backend/kinds.h"
#include "heed/core/rng.h"

namespace heed::cuda {

// Blocks of `threads` threads for `count` elements of one thread each.
constexpr int64_t blocks_for(int64_t count, int64_t threads) {
  return (count + threads - 1) / threads;
}

__device__ inline void put(float value, float* to, WriteMode mode) {
  *to = mode == WriteMode::accumulate ? *to + value : value;
}

// Calls f(thread, i) on the device for each i in [0, count), on all lanes of a warp.
template <class F>
void for_each_warp(int64_t count, const F& f) {
  constexpr int kThreads = 128, kWarps = kThreads / kWarp;
  launch<kThreads>(blocks_for(count, kWarps), 0, [=] __device__(const Thread& thread) {
    const int64_t i = thread.block() * kWarps + thread.warp();
    if (i < count) f(thread, i);
  });
}

// Sums and maxima over the lanes of a warp, in every lane, always in the same order.
template <class T>
__device__ inline T warp_sum(const Thread& thread, T value) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2) value += thread.shuffle_xor(value, mask);
  return value;
}
__device__ inline float warp_max(const Thread& thread, float value) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2)
    value = fmaxf(value, thread.shuffle_xor(value, mask));
  return value;
}

// The sum over the threads of a block, in every thread. `partial` is shared memory for one value a
// warp, which the next call may use again.
template <class T>
__device__ inline T block_sum(const Thread& thread, T value, T* partial) {
  value = warp_sum(thread, value);
  if (thread.lane() == 0) partial[thread.warp()] = value;
  thread.barrier();
  T sum = 0;
  for (int i = 0; i < thread.warps(); ++i) sum += partial[i];
  thread.barrier();
  return sum;
}
__device__ inline float block_max(const Thread& thread, float value, float* partial) {
  value = warp_max(thread, value);
  if (thread.lane() == 0) partial[thread.warp()] = value;
  thread.barrier();
  float maximum = partial[0];
  for (int i = 1; i < thread.warps(); ++i) maximum = fmaxf(maximum, partial[i]);
  thread.barrier();
  return maximum;
}

// The factor of an element under dropout: 0, or the scale of those that are kept.
class DropoutFactors {
 public:
  explicit DropoutFactors(const Dropout& dropout)
      : dropout_(dropout),
        first_keys_(dropout.keys(0)),
        threshold_(dropout.threshold()),
        scale_(float(dropout.scale())),
        drops_(bool(dropout)) {}

  __device__ float operator()(int64_t index) const {
    if (!drops_) return 1;
    const auto block = uint64_t(index) >> 32;
    const DropoutKeys keys = block == 0 ? first_keys_ : dropout_.keys(block);
    return dropout_bits(keys, uint32_t(index)) >= threshold_ ? scale_ : 0;
  }

 private:
  Dropout dropout_;
  DropoutKeys first_keys_;
  uint32_t threshold_;
  float scale_;
  bool drops_;
};

}  // namespace heed::cuda
