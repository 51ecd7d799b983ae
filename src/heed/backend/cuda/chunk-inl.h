// Rows in chunks of four columns, which a thread reads and writes at once where addresses allow it.
// Columns belong to chunks by their numbers alone, not by alignment, so the order of a sum over a
// row does not depend on alignment either.
#pragma once

#include <cstdint>

#include "heed/backend/cuda/parts-inl.h"

namespace heed::cuda {

constexpr int kChunk = 4;

struct alignas(16) Chunk {
  float value[kChunk];
};
struct alignas(8) Bf16Chunk {
  uint16_t value[kChunk];
};

// The columns of the rows of a call.
struct Columns {
  int64_t count;
  bool aligned;  // every chunk is whole, at a multiple of its size

  __device__ bool has(int64_t column) const { return column < count; }
  int64_t chunks() const { return blocks_for(count, kChunk); }
};

// Whether chunks of rows at this address may be aligned. Null is no hindrance.
template <class T>
bool is_aligned(const T* rows) {
  return reinterpret_cast<uintptr_t>(rows) % (kChunk * sizeof(T)) == 0;
}
// The columns of rows at these addresses.
template <class... T>
Columns columns_of(int64_t count, const T*... rows) {
  return {count, count % kChunk == 0 && (is_aligned(rows) && ...)};
}

// The chunk of a row from column c on; columns beyond the end are 0.
__device__ inline Chunk load_chunk(const float* row, int64_t c, const Columns& columns) {
  Chunk chunk = {};
  if (columns.aligned) {
    if (columns.has(c)) chunk = *reinterpret_cast<const Chunk*>(row + c);
    return chunk;
  }
  for (int j = 0; j < kChunk; ++j)
    if (columns.has(c + j)) chunk.value[j] = row[c + j];
  return chunk;
}
__device__ inline Chunk load_chunk(const uint16_t* row, int64_t c, const Columns& columns) {
  Bf16Chunk bits = {};
  if (columns.aligned) {
    if (columns.has(c)) bits = *reinterpret_cast<const Bf16Chunk*>(row + c);
  } else {
    for (int j = 0; j < kChunk; ++j)
      if (columns.has(c + j)) bits.value[j] = row[c + j];
  }
  Chunk chunk;
  for (int j = 0; j < kChunk; ++j) chunk.value[j] = from_bf16(bits.value[j]);
  return chunk;
}

// Writes what of a chunk is within the row.
__device__ inline void store_chunk(const Chunk& chunk, float* row, int64_t c,
                                   const Columns& columns) {
  if (columns.aligned) {
    if (columns.has(c)) *reinterpret_cast<Chunk*>(row + c) = chunk;
    return;
  }
  for (int j = 0; j < kChunk; ++j)
    if (columns.has(c + j)) row[c + j] = chunk.value[j];
}
__device__ inline void store_chunk(const Chunk& chunk, uint16_t* row, int64_t c,
                                   const Columns& columns) {
  Bf16Chunk bits;
  for (int j = 0; j < kChunk; ++j) bits.value[j] = to_bf16(chunk.value[j]);
  if (columns.aligned) {
    if (columns.has(c)) *reinterpret_cast<Bf16Chunk*>(row + c) = bits;
    return;
  }
  for (int j = 0; j < kChunk; ++j)
    if (columns.has(c + j)) row[c + j] = bits.value[j];
}

// A quotient; narrow numbers divide several times faster.
__device__ inline int64_t quotient(int64_t a, int64_t b) {
  const bool narrow = a <= INT32_MAX && b <= INT32_MAX;
  return narrow ? int64_t(uint32_t(a) / uint32_t(b)) : a / b;
}

// Calls f(row, column) on the device for the first column of each chunk, neighbours by neighbouring
// threads.
template <class F>
void for_each_chunk(int64_t rows, const Columns& columns, const F& f) {
  constexpr int kThreads = 128;
  const int64_t chunks = columns.chunks(), count = rows * chunks;
  launch<kThreads>(blocks_for(count, kThreads), 0, [=] __device__(const Thread& thread) {
    const int64_t i = thread.block() * kThreads + thread.index();
    if (i >= count) return;
    const int64_t row = quotient(i, chunks);
    f(row, (i - row * chunks) * kChunk);
  });
}

}  // namespace heed::cuda
