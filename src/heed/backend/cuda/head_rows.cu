#include "heed/backend/cuda/chunk-inl.h"
#include "heed/backend/cuda/head_rows.h"
#include "heed/backend/cuda/parts-inl.h"

namespace heed::cuda {
namespace {

constexpr int kThreads = 128;
// Heads that one thread rotates by the same angle, their values on the way at the same time.
constexpr int kHeads = 4;

// The cosine and sine of position / 2^exponent.
struct Angle {
  // In double, and measured in full revolutions, of which only the fraction counts: a float of a
  // large angle has no digits left behind the point.
  __device__ Angle(int32_t position, double exponent) {
    constexpr double kTurn = 6.283185307179586;
    const double turns = double(position) * exp2(-exponent) * (1 / kTurn);
    const auto angle = float((turns - rint(turns)) * kTurn);
    cosine = cosf(angle);
    sine = sinf(angle);
  }

  float cosine, sine;
};

// Rotates heads [begin, end) of a row, at most kHeads, where `x` and `y` are at column c of the
// row's first head.
__device__ void rotate_heads(const Angle& angle, const float* x, float* y, WriteMode mode,
                             const HeadShape& shape, int64_t begin, int64_t end) {
  const int64_t half = shape.d / 2;
  float a[kHeads], b[kHeads];
  for (int k = 0; k < kHeads; ++k) {
    if (begin + k >= end) continue;
    a[k] = x[(begin + k) * shape.d];
    b[k] = x[(begin + k) * shape.d + half];
  }
  for (int k = 0; k < kHeads; ++k) {
    if (begin + k >= end) continue;
    float* const to = y + (begin + k) * shape.d;
    put(fmaf(-b[k], angle.sine, a[k] * angle.cosine), to, mode);
    put(fmaf(a[k], angle.sine, b[k] * angle.cosine), to + half, mode);
  }
}

// 1 / sqrt(|x|^2 + epsilon) of the head at x, in all lanes of a warp, of which each has every
// kWarp-th column.
__device__ float inverse_length(const Thread& thread, const float* x, int64_t d, float epsilon) {
  float squares = 0;
  for (int64_t c = thread.lane(); c < d; c += kWarp) squares = fmaf(x[c], x[c], squares);
  return 1 / sqrtf(warp_sum(thread, squares) + epsilon);
}

// dgain[h] += scale * the sum of row h of `along` [heads, rows]: a block for each head.
void add_gain_gradient(const float* along, float scale, const HeadShape& shape, float* dgain) {
  constexpr int kSumThreads = 512;
  const int64_t rows = shape.rows;
  launch<kSumThreads>(shape.heads, kSumThreads / kWarp * int64_t(sizeof(float)),
                      [=] __device__(const Thread& thread) {
                        SharedMemory shared(thread);
                        auto* const partial = shared.take<float>(thread.warps());
                        const int64_t h = thread.block();
                        float sum = 0;
                        for (int64_t r = thread.index(); r < rows; r += kSumThreads)
                          sum += along[h * rows + r];
                        sum = block_sum(thread, sum, partial);
                        if (thread.index() == 0) dgain[h] = fmaf(scale, sum, dgain[h]);
                      });
}

}  // namespace

void rotate(const float* x, const int32_t* positions, float sign, const HeadShape& shape, float* y,
            WriteMode mode) {
  const int64_t half = shape.d / 2, groups = blocks_for(shape.heads, kHeads);
  const int64_t count = shape.rows * groups * half;
  const double exponent = std::log2(10000.0) / double(half);  // column c turns by 2^-(c * exponent)
  launch<kThreads>(blocks_for(count, kThreads), 0, [=] __device__(const Thread& thread) {
    const int64_t i = thread.block() * kThreads + thread.index();
    if (i >= count) return;
    const int64_t group = quotient(i, half), c = i - group * half;
    const int64_t row = quotient(group, groups), begin = (group - row * groups) * kHeads;
    Angle angle(positions[row], double(c) * exponent);
    angle.sine *= sign;
    const int64_t first = row * shape.heads * shape.d + c;
    const int64_t end = begin + kHeads < shape.heads ? begin + kHeads : shape.heads;
    rotate_heads(angle, x + first, y + first, mode, shape, begin, end);
  });
}

void normalize_heads(const HeadNorm& norm, float* y) {
  const HeadShape shape = norm.shape;
  for_each_warp(shape.rows * shape.heads, [=] __device__(const Thread& thread, int64_t i) {
    const float* const from = norm.x + i * shape.d;
    const float inverse = inverse_length(thread, from, shape.d, norm.epsilon);
    const float factor = norm.scale * (norm.gain ? norm.gain[i % shape.heads] : 1) * inverse;
    for (int64_t c = thread.lane(); c < shape.d; c += kWarp) y[i * shape.d + c] = factor * from[c];
  });
}

void normalize_heads_gradient(const HeadNorm& norm, const HeadNormGradientOperands& o) {
  const HeadShape shape = norm.shape;
  for_each_warp(shape.rows * shape.heads, [=] __device__(const Thread& thread, int64_t i) {
    const float *const from = norm.x + i * shape.d, *const dy = o.dy + i * shape.d;
    const int64_t h = i % shape.heads;
    const float inverse = inverse_length(thread, from, shape.d, norm.epsilon);
    // The component of dy along x, dy . x / |x|; times the scale it is the gradient of the gain.
    float along = 0;
    for (int64_t c = thread.lane(); c < shape.d; c += kWarp) along = fmaf(dy[c], from[c], along);
    along = warp_sum(thread, along) * inverse;
    if (o.dgain && thread.lane() == 0) o.scratch[h * shape.rows + i / shape.heads] = along;
    const float factor = norm.scale * (norm.gain ? norm.gain[h] : 1) * inverse;
    const float shrink = along * inverse;
    for (int64_t c = thread.lane(); c < shape.d; c += kWarp)
      put(factor * fmaf(-from[c], shrink, dy[c]), o.dx + i * shape.d + c, o.mode);
  });
  if (o.dgain) add_gain_gradient(o.scratch, norm.scale, shape, o.dgain);
}

}  // namespace heed::cuda
