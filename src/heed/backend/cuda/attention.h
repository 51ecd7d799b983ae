// Attention (equation 1) and its gradient, without the matrix of scores in memory.
#pragma once

#include <cstdint>

#include "heed/backend/cuda/layout.h"
#include "heed/backend/kinds.h"
#include "heed/core/rng.h"

namespace heed::cuda {

// The widths of the operands' heads (AttentionHeads in backend/backend.h), and the number of rows
// of all sequences together.
struct AttentionShape {
  int64_t heads = 1, key_value_heads = 1;
  int64_t d_key = 1, d_value = 1;
  int64_t queries = 0, keys = 0;
};

// AttentionOptions for kernels.
struct AttentionRule {
  float scale = 1;
  int64_t window = -1;  // negative: none
  ScoreBias bias = ScoreBias::none;
  Dropout dropout;
};

// Keys and values are of type T: float, or uint16_t for bf16.
template <class T>
struct AttentionOperands {
  const float* query;
  const T *key, *value;
};

struct AttentionResult {
  float *out, *logsumexp;
  float* weights;  // or null; if it is set, Layout::pairs must be too
};

struct AttentionGradientOperands {
  const float *dout, *out, *logsumexp;
  float *dquery, *dkey, *dvalue;
};

// As the kernels of these names in backend/backend.h.
template <class T>
void attention(const Layout& layout, const AttentionShape& shape, const AttentionRule& rule,
               const AttentionOperands<T>& operands, const AttentionResult& result);
void attention_gradient(const Layout& layout, const AttentionShape& shape,
                        const AttentionRule& rule, const AttentionOperands<float>& operands,
                        const AttentionGradientOperands& gradient);

}  // namespace heed::cuda
