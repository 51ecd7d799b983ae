// Attention in steps, scores -> softmax -> weighted sum, for the score functions that the op
// attention() (autograd/ops.h) does not have. Scores and weights are one tensor for all sequences,
// described in backend/attention_steps.h, as are the options. As there each op checks shapes, runs
// its kernel and records its backward step. An op that takes a tensor by value computes in its
// memory if there is no other handle: pass a temporary or std::move().
#pragma once

#include <vector>

#include "heed/autograd/ops.h"

namespace heed {

// scale * query . key.
Tensor scaled_scores(ForwardPass& pass, const ScoreOperands& operands,
                     const AttentionLayout& layout, const ScaledScores& options);

// v_h . tanh(query_h + key_h) (Bahdanau et al. 2015), v [heads * d_key].
Tensor additive_scores(ForwardPass& pass, const ScoreOperands& operands, const Tensor& v,
                       const AttentionLayout& layout, int64_t heads);

// scores + scale * table[.][h * count + bucket], table [query rows or 1, heads * count]. Without
// scores (a false Tensor): the positional scores alone.
Tensor add_positional_scores(ForwardPass& pass, Tensor scores, const Tensor& table,
                             const AttentionLayout& layout, const PositionalScores& options);

// [query rows, heads * count]: scale * the sum of the weights of each bucket's keys. Their products
// with a table [count, d_value] are what the relative values of Shaw et al. (2018) add to
// weighted_sum().
Tensor sum_weights_by_position(ForwardPass& pass, const Tensor& weights,
                               const AttentionLayout& layout, const PositionalScores& options);

// The attention weights, after the choice of a hard key and dropout of this probability, which
// drops the same weights as in attention().
Tensor attention_softmax(ForwardPass& pass, Tensor scores, const AttentionLayout& layout,
                         const AttentionSoftmax& options, double dropout = 0);

// S * share for each query, where S is the number of its keys: the position that "local-p" attends
// around (Luong et al. 2015, equation 9, where share = sigmoid(v . tanh(W h))). share [query rows,
// heads].
Tensor predicted_centers(ForwardPass& pass, const Tensor& share, const AttentionLayout& layout);

// weights * exp(-(j - center)^2 / (2 sigma^2)) (Luong et al. 2015), center [query rows, heads].
Tensor gaussian_weights(ForwardPass& pass, Tensor weights, const Tensor& center,
                        const AttentionLayout& layout, const GaussianWeights& options);

struct HeadCounts {
  int64_t heads = 1;
  int64_t key_value_heads = 1;  // kv: of `value`
};

// weights V, [query rows, heads * d_value]; value [rows, kv * d_value].
Tensor weighted_sum(ForwardPass& pass, const Tensor& weights, const Tensor& value,
                    const AttentionLayout& layout, const HeadCounts& counts);

// The probability that an attention weight should have.
struct WeightTarget {
  int64_t index = 0;  // of the weight in its tensor
  double probability = 0;
};

// The cross entropy of attention weights, computed on the host: the sum of
// -probability * log(weight), in nats (Garg et al., 2019, section 4.2). If the pass has a tape, the
// gradient of the sum times `gradient_factor` is added to what backward() starts from; nothing else
// may read the weights.
double attention_loss(ForwardPass& pass, const Tensor& weights,
                      const std::vector<WeightTarget>& targets, double gradient_factor);

}  // namespace heed
