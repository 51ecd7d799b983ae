// Kernels on the rows of queries and keys, head by head, as in backend/head_rows.h.
#pragma once

#include <cstdint>

#include "heed/backend/kinds.h"

namespace heed::cuda {

// Rows of `heads` heads of `d` columns each.
struct HeadShape {
  int64_t rows, heads, d;
};

// As the kernel rotate. positions [rows]; sign: 1 forward, -1 inverse.
void rotate(const float* x, const int32_t* positions, float sign, const HeadShape& shape, float* y,
            WriteMode mode);

// As the kernels of these names. gain [heads] or null.
struct HeadNorm {
  const float *x, *gain;
  float scale, epsilon;
  HeadShape shape;
};
void normalize_heads(const HeadNorm& norm, float* y);

struct HeadNormGradientOperands {
  const float* dy;
  float* dx;
  WriteMode mode;
  float* dgain;    // [heads] or null
  float* scratch;  // [heads, rows], unless dgain is null
};
void normalize_heads_gradient(const HeadNorm& norm, const HeadNormGradientOperands& operands);

}  // namespace heed::cuda
