// How the threads of a block read a row of logits, and the sum of its exponentials.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda_thread.h"

namespace heed::cuda {

// Rows of at most kShortRow columns have blocks of kFewThreads threads, longer ones of
// kManyThreads.
constexpr int kFewThreads = 128, kManyThreads = 512;
constexpr int64_t kShortRow = 2048;

// Columns that are read at once.
struct alignas(16) Four {
  float values[4];
};

// Whether fours can be read from `row` in one access.
__device__ inline bool is_aligned(const float* row) {
  return reinterpret_cast<uintptr_t>(row) % alignof(Four) == 0;
}

// The first n of four values; the others are -infinity.
template <bool kAligned>
__device__ Four load_four(const float* values, int n) {
  if (kAligned && n == 4) return *reinterpret_cast<const Four*>(values);
  Four four;
  for (int i = 0; i < 4; ++i) four.values[i] = i < n ? values[i] : -INFINITY;
  return four;
}

// Calls f(four, c, n) for the columns [c, c + n) that this thread of the block has of a row: every
// thread has a four in turn, whether the row is aligned or not. Each four is loaded before f
// gets the previous one, so that f need not wait.
template <bool kAligned, class F>
__device__ void for_each_four(const Thread& thread, const float* row, int columns, const F& f) {
  const int stride = 4 * thread.threads(), last = columns - 4;
  int c = 4 * thread.index();
  Four next = {};
  if (c <= last) next = load_four<kAligned>(row + c, 4);
  for (; c <= last; c += stride) {
    const Four x = next;
    if (c + stride <= last) next = load_four<kAligned>(row + c + stride, 4);
    f(x, c, 4);
  }
  if (c < columns) f(load_four<kAligned>(row + c, columns - c), c, columns - c);
}

__device__ inline float highest_of(const Four& x) {
  return fmaxf(fmaxf(x.values[0], x.values[1]), fmaxf(x.values[2], x.values[3]));
}

// The sum of e^(x - top) over the values that were added, where top is their maximum. It begins
// with the lowest number rather than -infinity, so that rows which hold -infinity have a sum too.
struct Exponentials {
  float top = -3.402823466e38f;
  float sum = 0;

  // To be called with the highest value before it is added.
  __device__ void raise(float highest) {
    if (!(highest > top)) return;
    sum *= expf(top - highest);
    top = highest;
  }
  __device__ void add(const Four& x) {
    sum += (expf(x.values[0] - top) + expf(x.values[1] - top)) +
           (expf(x.values[2] - top) + expf(x.values[3] - top));
  }
  // The whole sum, relative to a higher top.
  __device__ double sum_below(float higher) const { return double(sum * expf(top - higher)); }
};

}  // namespace heed::cuda
