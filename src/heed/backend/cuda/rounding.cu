#include "heed/backend/cuda/chunk-inl.h"
#include "heed/backend/cuda/parts-inl.h"
#include "heed/backend/cuda/rounding.h"

namespace heed::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarp;
constexpr int64_t kRowsOfPart = 256;
constexpr int64_t kColumnsOfTile = kWarp * kChunk;  // a warp reads these of one row

// The columns of x, and whether its chunks can be read at once.
Columns columns_of_rows(const Rows& x) {
  Columns columns = columns_of(x.columns, x.data);
  columns.aligned = columns.aligned && x.stride % kChunk == 0;
  return columns;
}

// Calls use(chunk, row, column) for each chunk, and writes the sums of each part of the rows to
// `partial`: a block for each part of the rows and tile of the columns.
template <class Use>
void for_each_part(const Rows& x, int64_t width, float* partial, const Use& use) {
  const int64_t parts = column_sum_parts(x.rows), tiles = blocks_for(width, kColumnsOfTile);
  const Columns columns = columns_of_rows(x);
  launch<kThreads>(
      parts * tiles, kThreads * int64_t(sizeof(Chunk)), [=] __device__(const Thread& thread) {
        SharedMemory shared(thread);
        auto* const of_warps = shared.take<Chunk>(kThreads);
        const int64_t part = thread.block() / tiles;
        const int64_t c = thread.block() % tiles * kColumnsOfTile + thread.lane() * kChunk;
        const int64_t end = (part + 1) * kRowsOfPart < x.rows ? (part + 1) * kRowsOfPart : x.rows;
        Chunk sum = {};
        for (int64_t r = part * kRowsOfPart + thread.warp(); r < end; r += kWarps) {
          const Chunk chunk = load_chunk(x.data + r * x.stride, c, columns);
          use(chunk, r, c);
          for (int j = 0; j < kChunk; ++j) sum.value[j] += chunk.value[j];
        }
        of_warps[thread.index()] = sum;
        thread.barrier();
        if (thread.warp() != 0) return;
        for (int w = 1; w < kWarps; ++w)
          for (int j = 0; j < kChunk; ++j)
            sum.value[j] += of_warps[w * kWarp + thread.lane()].value[j];
        for (int j = 0; j < kChunk; ++j)
          if (columns.has(c + j)) partial[part * x.columns + c + j] = sum.value[j];
      });
}

void add_parts(const Rows& x, const float* partial, float* sums, WriteMode mode) {
  const int64_t parts = column_sum_parts(x.rows), columns = x.columns;
  launch<kThreads>(blocks_for(columns, kThreads), 0, [=] __device__(const Thread& thread) {
    const int64_t column = thread.block() * kThreads + thread.index();
    if (column >= columns) return;
    float sum = 0;
    for (int64_t part = 0; part < parts; ++part) sum += partial[part * columns + column];
    put(sum, sums + column, mode);
  });
}

// A chunk of a row of y, all of whose chunks are whole.
__device__ void store_rounded(const Chunk& chunk, uint16_t* row, int64_t c) {
  Bf16Chunk bits;
  for (int j = 0; j < kChunk; ++j) bits.value[j] = to_bf16(chunk.value[j]);
  *reinterpret_cast<Bf16Chunk*>(row + c) = bits;
}

}  // namespace

void round_to_bf16(const Rows& x, uint16_t* y, int64_t y_stride) {
  const Columns columns = columns_of_rows(x);
  for_each_chunk(x.rows, Columns{y_stride, true}, [=] __device__(int64_t row, int64_t c) {
    store_rounded(load_chunk(x.data + row * x.stride, c, columns), y + row * y_stride, c);
  });
}

int64_t column_sum_parts(int64_t rows) {
  return blocks_for(rows, kRowsOfPart);
}

void column_sums(const Rows& x, float* partial, float* sums, WriteMode mode) {
  for_each_part(x, x.columns, partial, [=] __device__(const Chunk&, int64_t, int64_t) {});
  add_parts(x, partial, sums, mode);
}

void round_and_sum(const Rows& x, uint16_t* y, int64_t y_stride, float* partial, float* sums,
                   WriteMode mode) {
  for_each_part(x, y_stride, partial, [=] __device__(const Chunk& chunk, int64_t r, int64_t c) {
    if (c < y_stride) store_rounded(chunk, y + r * y_stride, c);
  });
  add_parts(x, partial, sums, mode);
}

void copy_rows(const Rows& x, float* y, WriteMode mode) {
  constexpr int64_t kColumnsOfBlock = 4 * kThreads;
  const int64_t blocks = blocks_for(x.columns, kColumnsOfBlock);
  launch<kThreads>(x.rows * blocks, 0, [=] __device__(const Thread& thread) {
    const int64_t row = thread.block() / blocks;
    const int64_t first = thread.block() % blocks * kColumnsOfBlock + thread.index();
    for (int64_t c = first; c < first + kColumnsOfBlock && c < x.columns; c += kThreads) {
      put(x.data[row * x.stride + c], y + row * x.columns + c, mode);
    }
  });
}

}  // namespace heed::cuda
