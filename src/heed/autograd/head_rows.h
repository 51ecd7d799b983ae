// Operations on the rows of queries and keys, head by head: what rotary positions, cosine scores
// and general scores are made of; and the product of SwiGLU. As in autograd/ops.h each op checks
// shapes, runs its kernel (backend/head_rows.h) and records its backward step. An op that takes a
// tensor by value computes in its memory if there is no other handle: pass a temporary or
// std::move().
#pragma once

#include "heed/autograd/ops.h"

namespace heed {

// Rotary position embedding (Su et al. 2021) of x [rows, heads * d], row r at positions[r] [rows].
Tensor rotate(ForwardPass& pass, Tensor x, const Indices& positions, int64_t heads);

// gain[h] * scale * x_h / |x_h| of each head h of x [rows, heads * d]; gain [heads] may be none.
Tensor normalize_heads(ForwardPass& pass, const Tensor& x, const Tensor& gain,
                       const HeadNormOptions& options);

// x_h W_h^T of each head h of x [rows, heads * in], weight [heads * out, in].
Tensor linear_heads(ForwardPass& pass, const Tensor& x, const Tensor& weight);

// The elementwise product of tensors of one shape.
Tensor multiply(ForwardPass& pass, const Tensor& a, const Tensor& b);

}  // namespace heed
