// Multi-head attention (section 3.2.2) and its variants, one block at a time.
#pragma once

#include "heed/autograd/ops.h"
#include "heed/model/attention_context.h"
#include "heed/model/captured_attention.h"
#include "heed/model/config.h"
#include "heed/model/layers.h"

namespace heed {

// activation(x W^T + b).
inline Tensor linear(ForwardPass& pass, const Tensor& x, const Linear& w,
                     Activation activation = Activation::none) {
  return linear(pass, x, w.weight, w.bias, activation);
}

// How the blocks at one site of the model attend.
struct AttentionMethod {
  ScoreFunction score = ScoreFunction::scaled_dot;
  AttentionReach reach;
  Positions positions = Positions::none;  // those that act in the block
  int64_t heads = 1, key_value_heads = 1;
  int64_t d_key = 1;
  Mask mask = Mask::none;
  double dropout = 0;  // on the attention weights
};

// Some variants act in self-attention or in cross-attention only.
AttentionMethod attention_method(const ModelConfig& config, AttentionSite site);

// Whether the fused op computes it, which keeps no scores and computes none outside a window.
bool is_fused(const AttentionMethod& method);

// Keys and values for all heads: K W^K and V W^V, with the keys as the scores need them.
// `positions` [rows] are those of the tokens.
KeyValue project_key_value(ForwardPass& pass, const Attention& w, const AttentionMethod& method,
                           const Tensor& key, const Tensor& value, const Indices& positions);

// The operands of an attention block.
struct AttentionOperands {
  const Tensor& x;  // [query rows, d_model]
  const KeyValue& projected;
  const AttentionLayout& layout;  // with positions
};

// MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O, for queries x W^Q and keys and values that
// project_key_value() projected.
Tensor attend(ForwardPass& pass, const Attention& w, const AttentionMethod& method,
              const AttentionOperands& operands, const WeightsRequest& weights);

}  // namespace heed
