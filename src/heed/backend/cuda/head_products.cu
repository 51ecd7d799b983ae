#include "heed/backend/cuda/head_products.h"
#include "heed/backend/cuda/parts-inl.h"

namespace heed::cuda {
namespace {

// A block computes a tile of kTile x kTile elements, kDepth terms of their sums at a time; a thread
// computes kOwn x kOwn of them, kTile / kOwn apart. A sum is added in the order of its terms.
constexpr int kTile = 64, kDepth = 16, kOwn = 4;
constexpr int kSide = kTile / kOwn, kThreads = kSide * kSide;
// Tiles lie in shared memory by depth; the padding keeps writes along the depth off the same banks.
constexpr int kPitch = kTile + 1;
// Terms of a sum over rows that one block adds: longer sums are added from parts.
constexpr int64_t kSliceRows = 512;

// A matrix for each head, `head` elements apart: element (i, k) is at i * outer + k * inner.
struct Matrix {
  const float* data;
  int64_t head, outer, inner;
};
// c[m][n] = sum over k in the slice of a(m, k) b(n, k), for each head and slice.
struct Product {
  Matrix a, b;
  int64_t m, n, k;
  int64_t heads, slices, slice_length;
  float* c;
  int64_t c_head, c_row, c_slice;  // elements between heads, rows and slices of c
  WriteMode mode;
};

// Loads the tile from row `first` and depth `depth` on, zeros beyond the ends. Neighbouring threads
// load what is neighbouring in memory.
__device__ void load_tile(const Thread& thread, const Matrix& from, int64_t head, int64_t first,
                          int64_t rows, int64_t depth, int64_t end, float* tile) {
  const float* const data = from.data + head * from.head;
  for (int i = thread.index(); i < kTile * kDepth; i += kThreads) {
    const bool along_depth = from.inner == 1;
    const int row = along_depth ? i / kDepth : i % kTile, k = along_depth ? i % kDepth : i / kTile;
    const bool within = first + row < rows && depth + k < end;
    tile[k * kPitch + row] =
        within ? data[(first + row) * from.outer + (depth + k) * from.inner] : 0;
  }
}

// sums[i][j] += the products of the tiles' terms.
__device__ void multiply_tiles(const float* a, const float* b, int row, int column,
                               float (&sums)[kOwn][kOwn]) {
  for (int k = 0; k < kDepth; ++k) {
    float left[kOwn], right[kOwn];
    for (int i = 0; i < kOwn; ++i) left[i] = a[k * kPitch + row + i * kSide];
    for (int j = 0; j < kOwn; ++j) right[j] = b[k * kPitch + column + j * kSide];
    for (int i = 0; i < kOwn; ++i)
      for (int j = 0; j < kOwn; ++j) sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
  }
}

void multiply(const Product& p) {
  const int64_t tiles_m = blocks_for(p.m, kTile), tiles_n = blocks_for(p.n, kTile);
  launch<kThreads>(
      tiles_m * tiles_n * p.heads * p.slices, 2 * kDepth * kPitch * int64_t(sizeof(float)),
      [=] __device__(const Thread& thread) {
        SharedMemory shared(thread);
        float* const a = shared.take<float>(kDepth * kPitch);
        float* const b = shared.take<float>(kDepth * kPitch);
        int64_t number = thread.block();
        const int64_t n = number % tiles_n * kTile;
        number /= tiles_n;
        const int64_t m = number % tiles_m * kTile;
        number /= tiles_m;
        const int64_t head = number % p.heads, slice = number / p.heads;
        const int64_t begin = slice * p.slice_length;
        const int64_t end = begin + p.slice_length < p.k ? begin + p.slice_length : p.k;
        const int row = thread.index() / kSide, column = thread.index() % kSide;
        float sums[kOwn][kOwn] = {};
        for (int64_t depth = begin; depth < end; depth += kDepth) {
          load_tile(thread, p.a, head, m, p.m, depth, end, a);
          load_tile(thread, p.b, head, n, p.n, depth, end, b);
          thread.barrier();
          multiply_tiles(a, b, row, column, sums);
          thread.barrier();
        }
        float* const c = p.c + slice * p.c_slice + head * p.c_head;
        for (int i = 0; i < kOwn; ++i)
          for (int j = 0; j < kOwn; ++j) {
            const int64_t to_row = m + row + i * kSide, to = n + column + j * kSide;
            if (to_row < p.m && to < p.n) put(sums[i][j], c + to_row * p.c_row + to, p.mode);
          }
      });
}

// y = the sum of the slices' parts, in their order.
void add_slices(const float* partials, int64_t slices, int64_t count, float* y, WriteMode mode) {
  constexpr int kSumThreads = 128;
  launch<kSumThreads>(blocks_for(count, kSumThreads), 0, [=] __device__(const Thread& thread) {
    const int64_t i = thread.block() * kSumThreads + thread.index();
    if (i >= count) return;
    float sum = 0;
    for (int64_t slice = 0; slice < slices; ++slice) sum += partials[slice * count + i];
    put(sum, y + i, mode);
  });
}

int64_t slices_of(const HeadLinear& shape) {
  // At least one: a sum over no rows is zero.
  return shape.rows == 0 ? 1 : blocks_for(shape.rows, kSliceRows);
}

}  // namespace

void linear_heads(const HeadLinear& s, const float* x, const float* weight, float* y) {
  Product p = {};
  p.a = {x, s.in, s.heads * s.in, 1};
  p.b = {weight, s.out * s.in, s.in, 1};
  p.m = s.rows, p.n = s.out, p.k = p.slice_length = s.in;
  p.heads = s.heads, p.slices = 1;
  p.c = y, p.c_head = s.out, p.c_row = s.heads * s.out;
  multiply(p);
}

void linear_heads_input_gradient(const HeadLinear& s, const float* dy, const float* weight,
                                 float* dx, WriteMode mode) {
  Product p = {};
  p.a = {dy, s.out, s.heads * s.out, 1};
  p.b = {weight, s.out * s.in, 1, s.in};
  p.m = s.rows, p.n = s.in, p.k = p.slice_length = s.out;
  p.heads = s.heads, p.slices = 1;
  p.c = dx, p.c_head = s.in, p.c_row = s.heads * s.in;
  p.mode = mode;
  multiply(p);
}

void linear_heads_weight_gradient(const HeadLinear& s, const float* dy, const float* x,
                                  float* dweight, WriteMode mode, float* partials) {
  const int64_t slices = slices_of(s), size = s.heads * s.out * s.in;
  Product p = {};
  p.a = {dy, s.out, 1, s.heads * s.out};
  p.b = {x, s.in, 1, s.heads * s.in};
  p.m = s.out, p.n = s.in, p.k = s.rows;
  p.heads = s.heads, p.slices = slices, p.slice_length = kSliceRows;
  p.c = slices > 1 ? partials : dweight;
  p.c_head = s.out * s.in, p.c_row = s.in, p.c_slice = size;
  p.mode = slices > 1 ? WriteMode::overwrite : mode;
  multiply(p);
  if (slices > 1) add_slices(partials, slices, size, dweight, mode);
}

int64_t head_weight_partials(const HeadLinear& shape) {
  const int64_t slices = slices_of(shape);
  return slices > 1 ? slices * shape.heads * shape.out * shape.in : 0;
}

}  // namespace heed::cuda
