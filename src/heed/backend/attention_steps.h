// Kernels that compute attention in steps, scores -> softmax -> weighted sum, for the score
// functions that the fused kernel `attention` does not have. Conventions: backend/backend.h.
//
// Scores and weights are tensors of attention_weight_count(layout, heads) elements: for each
// sequence [heads, queries, keys], one after the other. Grouped heads (Ainslie et al. 2023): with
// d_key = query.columns() / heads, a key has kv = key.columns() / d_key heads, and head h of a
// query attends to head h / (heads / kv) of the keys and values.
//
// A query sees the keys that its layout's mask allows. For all other keys, kernels write 0 to
// scores, weights and gradients, and require 0 in their inputs. Only attention_softmax accepts any
// scores there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "heed/core/rng.h"
#include "heed/core/tensor.h"

namespace heed {

struct AttentionLayout;

// The dropout index of the attention weight of (query row, head, key 0); that of key j is j
// greater. Each row of each of the `heads` heads has 2^32 indices of its own.
inline int64_t weight_dropout_index(int64_t row, int64_t head, int64_t heads) {
  return (row * heads + head) << 32;
}

// Queries [query rows, heads * d_key] and keys [any rows, kv * d_key]. Keys may be a KV cache, in
// Backend::cache_type(), for the kernels of forward passes.
struct ScoreOperands {
  const Tensor &query, &key;
};

struct ScoreGradient {
  Tensor& dquery;  // overwritten
  Tensor& dkey;    // overwritten; each row must belong to exactly one sequence
};

// score = scale * query . key.
struct ScaledScores {
  int64_t heads = 1;
  double scale = 1;
};

// The bucket that the positions of a query and a key fall into; each has an entry in a table of
// scores.
struct PositionBuckets {
  enum class Kind {
    absolute,  // the key's position: location attention (Luong et al. 2015)
    clipped,   // clip(key - query, -K, K) + K, count = 2 K + 1 (Shaw et al. 2018)
    t5,  // logarithmic by distance, half of them for keys after the query (Raffel et al. 2020)
    t5_causal,  // the same for causal attention: all buckets are for keys up to the query
  };
  // T5: the last bucket begins near this distance.
  static constexpr int64_t kMaxDistance = 128;

  Kind kind = Kind::clipped;
  int64_t count = 1;

  // The bucket of a key; -1 for an absolute position beyond the table.
  int64_t of(int64_t query_position, int64_t key_position) const;
};

struct PositionalScores {
  PositionBuckets buckets;
  int64_t heads = 1;
  double scale = 1;
};

// A softmax over the keys that the layout's mask and these options allow, or (Choice::hard) the
// choice of its greatest weight.
struct AttentionSoftmax {
  int64_t heads = 1;
  std::optional<int64_t> window = {};     // only keys at most this far from the query's position
  std::optional<int64_t> key_limit = {};  // only keys at positions below this
  // Null, or [query rows, heads]: windows are around these positions instead ("local-p", Luong et
  // al. 2015).
  const Tensor* center = nullptr;
  // hard: the key of the highest score (the first of several) has weight 1, all others 0. The
  // gradient is that of the soft weights (straight-through; Bengio et al. 2013).
  enum class Choice { soft, hard } choice = Choice::soft;
};

struct SoftmaxOutput {
  Tensor& softmax;  // may be the same tensor as the scores
  // The weights after the choice and dropout; null if these leave the softmax as it is.
  Tensor* weights = nullptr;
};

// weight * exp(-(j - center)^2 / (2 sigma^2)), "local-p" (Luong et al. 2015, equation 10).
struct GaussianWeights {
  int64_t heads = 1;
  double sigma = 1;
};

struct GaussianGradient {
  Tensor &dweights, &dcenter;  // overwritten
};

struct WeightedSumGradient {
  Tensor& dweights;  // overwritten
  Tensor& dvalue;    // overwritten; each row must belong to exactly one sequence
};

struct AttentionStepKernels {
  // scores = scale * Q K^T.
  std::function<void(const ScoreOperands& operands, const AttentionLayout& layout,
                     const ScaledScores& options, Tensor& scores)>
      scaled_scores;
  std::function<void(const Tensor& dscores, const ScoreOperands& operands,
                     const AttentionLayout& layout, const ScaledScores& options,
                     const ScoreGradient& gradient)>
      scaled_scores_gradient;

  // score of head h = v_h . tanh(query_h + key_h), v [heads * d_key] (Bahdanau et al. 2015, whose
  // W and U have made the query and key).
  std::function<void(const ScoreOperands& operands, const Tensor& v, const AttentionLayout& layout,
                     int64_t heads, Tensor& scores)>
      additive_scores;
  // dv is added to.
  std::function<void(const Tensor& dscores, const ScoreOperands& operands, const Tensor& v,
                     const AttentionLayout& layout, int64_t heads, const ScoreGradient& gradient,
                     Tensor& dv)>
      additive_scores_gradient;

  // scores[b, h, i, j] += scale * table[row of query i, or 0 if the table has one row][h * count +
  // bucket of query i and key j].
  std::function<void(const Tensor& table, const AttentionLayout& layout,
                     const PositionalScores& options, Tensor& scores)>
      add_positional_scores;
  // Its transpose: sums[row of query i, or 0][h * count + bucket] += scale * the sum of the weights
  // of that bucket's keys. Each is the other's gradient.
  std::function<void(const Tensor& weights, const AttentionLayout& layout,
                     const PositionalScores& options, Tensor& sums)>
      sum_weights_by_position;

  // The softmax over the keys that the mask and the options allow. All weights of a query that has
  // no such key are 0. Dropout is on element
  // weight_dropout_index(row, head, heads) + key.
  std::function<void(const Tensor& scores, const AttentionLayout& layout,
                     const AttentionSoftmax& options, const Dropout& dropout,
                     const SoftmaxOutput& result)>
      attention_softmax;
  // dscores, from dweights, the gradient of the weights after dropout. Both may be the same tensor.
  std::function<void(const Tensor& dweights, const Tensor& softmax, const AttentionLayout& layout,
                     int64_t heads, const Dropout& dropout, Tensor& dscores)>
      attention_softmax_gradient;

  // weights and out may be the same tensor. center [query rows, heads].
  std::function<void(const Tensor& weights, const Tensor& center, const AttentionLayout& layout,
                     const GaussianWeights& options, Tensor& out)>
      gaussian_weights;
  std::function<void(const Tensor& dout, const Tensor& weights, const Tensor& center,
                     const AttentionLayout& layout, const GaussianWeights& options,
                     const GaussianGradient& gradient)>
      gaussian_weights_gradient;

  // out = weights V. value [any rows, kv * d_value], which may be a KV cache; out [query rows,
  // heads * d_value].
  std::function<void(const Tensor& weights, const Tensor& value, const AttentionLayout& layout,
                     int64_t heads, Tensor& out)>
      weighted_sum;
  std::function<void(const Tensor& dout, const Tensor& weights, const Tensor& value,
                     const AttentionLayout& layout, int64_t heads,
                     const WeightedSumGradient& gradient)>
      weighted_sum_gradient;

  void visit_attention_step_kernels(auto&& f) {
    f("scaled_scores", scaled_scores), f("scaled_scores_gradient", scaled_scores_gradient);
    f("additive_scores", additive_scores), f("additive_scores_gradient", additive_scores_gradient);
    f("add_positional_scores", add_positional_scores);
    f("sum_weights_by_position", sum_weights_by_position);
    f("attention_softmax", attention_softmax);
    f("attention_softmax_gradient", attention_softmax_gradient);
    f("gaussian_weights", gaussian_weights);
    f("gaussian_weights_gradient", gaussian_weights_gradient);
    f("weighted_sum", weighted_sum), f("weighted_sum_gradient", weighted_sum_gradient);
  }
};

}  // namespace heed
