// Products of matrices for each head, in fp32: a linear layer of its own for each head.
#pragma once

#include <cstdint>

#include "heed/backend/kinds.h"

namespace heed::cuda {

// The shapes of x [rows, heads * in], weight [heads * out, in] and y [rows, heads * out].
struct HeadLinear {
  int64_t rows, heads, in, out;
};

// As the kernels of these names in backend/head_rows.h.
void linear_heads(const HeadLinear& shape, const float* x, const float* weight, float* y);
void linear_heads_input_gradient(const HeadLinear& shape, const float* dy, const float* weight,
                                 float* dx, WriteMode mode);
// partials: head_weight_partials(shape) elements of scratch memory.
void linear_heads_weight_gradient(const HeadLinear& shape, const float* dy, const float* x,
                                  float* dweight, WriteMode mode, float* partials);
int64_t head_weight_partials(const HeadLinear& shape);

}  // namespace heed::cuda
