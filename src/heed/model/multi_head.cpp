#include "heed/model/multi_head.h"

#include <cmath>

#include "heed/autograd/attention_steps.h"

namespace heed {
namespace {

using Reach = AttentionReach::Kind;

// x W^T + b; x itself without a weight.
Tensor projected(ForwardPass& pass, const Tensor& x, const Linear& w) {
  return w.weight ? linear(pass, x, w) : x;
}

// Queries or keys, for rotary positions rotated.
Tensor rotated(ForwardPass& pass, const AttentionMethod& method, Tensor x, int64_t heads,
               const Indices& positions) {
  return method.positions == Positions::rotary ? rotate(pass, std::move(x), positions, heads) : x;
}

// x W^Q and x W^K, in the form in which their dot products are the scores.
Tensor project_query(ForwardPass& pass, const Attention& w, const AttentionMethod& method,
                     const Tensor& x, const Indices& positions) {
  Tensor query = projected(pass, x, w.query);
  if (method.score == ScoreFunction::general) query = linear_heads(pass, query, w.score);
  // The scores of cosine attention begin with the range of scaled-dot: [-sqrt(d_key), sqrt(d_key)].
  if (method.score == ScoreFunction::cosine)
    query = normalize_heads(pass, query, w.score,
                            {.heads = method.heads, .scale = std::sqrt(double(method.d_key))});
  return rotated(pass, method, std::move(query), method.heads, positions);
}

Tensor project_key(ForwardPass& pass, const Attention& w, const AttentionMethod& method,
                   const Tensor& x, const Indices& positions) {
  Tensor key = projected(pass, x, w.key);
  if (method.score == ScoreFunction::cosine)
    key = normalize_heads(pass, key, {}, {.heads = method.key_value_heads});
  return rotated(pass, method, std::move(key), method.key_value_heads, positions);
}

double scale_of(const AttentionMethod& method) {
  return method.score == ScoreFunction::scaled_dot ? 1 / std::sqrt(double(method.d_key)) : 1;
}

// One head's part of each row of x [rows, heads * d].
Tensor head_of(ForwardPass& pass, const Tensor& x, int64_t heads, int64_t head) {
  const int64_t rows = x.rows();
  std::vector<TokenId> places(static_cast<size_t>(rows));
  for (int64_t row = 0; row < rows; ++row) places[size_t(row)] = TokenId(row * heads + head);
  Tokens of_head;
  of_head.add(places);
  return gather_rows(pass, x.reshape({rows * heads, x.columns() / heads}), of_head);
}

// The weights of one head that the fused op does not keep, as one that has a gradient.
Tensor weights_of_head(ForwardPass& pass, const AttentionMethod& method, const Tensor& query,
                       const AttentionOperands& o, int64_t head) {
  const int64_t of_keys = head / (method.heads / method.key_value_heads);
  const Tensor own = head_of(pass, query, method.heads, head);
  const Tensor keys = head_of(pass, o.projected.key, method.key_value_heads, of_keys);
  Tensor scores = scaled_scores(pass, {own, keys}, o.layout, {1, scale_of(method)});
  AttentionSoftmax options;
  if (method.reach.kind == Reach::local) options.window = method.reach.window;
  return attention_softmax(pass, std::move(scores), o.layout, options);
}

Tensor attend_fused(ForwardPass& pass, const Attention& w, const AttentionMethod& method,
                    const AttentionOperands& o, const WeightsRequest& weights) {
  AttentionScores scores{.heads = method.heads, .scale = scale_of(method)};
  if (method.reach.kind == Reach::local) scores.window = method.reach.window;
  if (method.positions == Positions::alibi) scores.bias = ScoreBias::alibi;
  const Tensor query = project_query(pass, w, method, o.x, *o.layout.positions);
  if (weights.head) *weights.weights = weights_of_head(pass, method, query, o, *weights.head);
  return attention(pass, {query, o.projected.key, o.projected.value}, o.layout, scores,
                   method.dropout, weights.head ? nullptr : weights.weights);
}

PositionBuckets clipped(int64_t distance) {
  return {PositionBuckets::Kind::clipped, 2 * distance + 1};
}

// -slope |key - query| for each head and distance: ALiBi as a table of positional scores, which is
// not learned.
Tensor alibi_table(ForwardPass& pass, const AttentionMethod& method, int64_t distance, DType type) {
  Tensor table({1, method.heads * (2 * distance + 1)}, type);
  for (int64_t i = 0; i < table.size(); ++i) {
    const int64_t head = i / (2 * distance + 1), offset = i % (2 * distance + 1) - distance;
    set_element(table, i, -alibi_slope(head, method.heads) * double(std::abs(offset)));
  }
  table.move_to(pass.backend.memory());
  return table;
}

// Adds what the positions of queries and keys contribute to scores.
Tensor with_positions(ForwardPass& pass, const Attention& w, const AttentionMethod& method,
                      const Tensor& query, const AttentionLayout& layout, Tensor scores) {
  if (method.positions == Positions::relative) {
    // The products of each head's query with the vector of each distance.
    const Tensor heads = query.reshape({query.rows() * method.heads, method.d_key});
    const Tensor products = linear(pass, heads, w.relative_key, {});
    return add_positional_scores(
        pass, std::move(scores),
        products.reshape({query.rows(), method.heads * w.relative_key.rows()}), layout,
        {clipped(kMaxRelativeDistance), method.heads, scale_of(method)});
  }
  if (method.positions == Positions::t5) {
    using Kind = PositionBuckets::Kind;
    const Kind kind = method.mask == Mask::causal ? Kind::t5_causal : Kind::t5;
    return add_positional_scores(pass, std::move(scores),
                                 w.position_bias.reshape({1, w.position_bias.size()}), layout,
                                 {{kind, kRelativeBuckets}, method.heads});
  }
  if (method.positions == Positions::alibi) {
    int64_t longest = 1;
    for (int64_t b = 0; b < layout.keys.lengths.count(); ++b)
      longest = std::max(longest, layout.keys.lengths.length(b));
    return add_positional_scores(pass, std::move(scores),
                                 alibi_table(pass, method, longest, query.dtype()), layout,
                                 {clipped(longest), method.heads});
  }
  return scores;
}

Tensor scores_of(ForwardPass& pass, const Attention& w, const AttentionMethod& method,
                 const AttentionOperands& o) {
  if (method.score == ScoreFunction::location)
    return add_positional_scores(pass, {}, linear(pass, o.x, w.location), o.layout,
                                 {{PositionBuckets::Kind::absolute, kLocations}, method.heads});
  const Tensor query = project_query(pass, w, method, o.x, *o.layout.positions);
  Tensor scores = method.score == ScoreFunction::additive
                      ? additive_scores(pass, {query, o.projected.key},
                                        w.score.reshape({w.score.size()}), o.layout, method.heads)
                      : scaled_scores(pass, {query, o.projected.key}, o.layout,
                                      {method.heads, scale_of(method)});
  return with_positions(pass, w, method, query, o.layout, std::move(scores));
}

// Scores, softmax and weighted sum, one after the other, with all scores in memory.
Tensor attend_in_steps(ForwardPass& pass, const Attention& w, const AttentionMethod& method,
                       const AttentionOperands& o, const WeightsRequest& request) {
  check(!request.head, "the weights of one head, where scores are computed in steps");
  Tensor scores = scores_of(pass, w, method, o);
  AttentionSoftmax options{.heads = method.heads};
  if (method.score == ScoreFunction::location) options.key_limit = kLocations;
  if (method.reach.kind == Reach::hard) options.choice = AttentionSoftmax::Choice::hard;
  if (method.reach.kind == Reach::local || method.reach.kind == Reach::predicted)
    options.window = method.reach.window;
  Tensor center;
  if (method.reach.kind == Reach::predicted) {
    const Tensor inner = linear(pass, o.x, w.center_inner, Activation::tanh);
    const Tensor share = linear(pass, inner, w.center, Activation::sigmoid);
    center = predicted_centers(pass, share, o.layout);
    options.center = &center;
  }
  Tensor weights = attention_softmax(pass, std::move(scores), o.layout, options, method.dropout);
  if (center)  // sigma is half the window, as in Luong et al. (2015)
    weights = gaussian_weights(pass, std::move(weights), center, o.layout,
                               {method.heads, double(method.reach.window) / 2});
  if (request.weights) *request.weights = weights;
  Tensor out = weighted_sum(pass, weights, o.projected.value, o.layout,
                            {method.heads, method.key_value_heads});
  if (method.positions != Positions::relative) return out;
  const int64_t rows = out.rows();
  const Tensor sums = sum_weights_by_position(pass, weights, o.layout,
                                              {clipped(kMaxRelativeDistance), method.heads});
  const Tensor values =
      linear(pass, sums.reshape({rows * method.heads, sums.columns() / method.heads}),
             w.relative_value, {});
  return add(pass, out, values.reshape(out.shape()));
}

}  // namespace

AttentionMethod attention_method(const ModelConfig& config, AttentionSite site) {
  const Variants& v = config.variants;
  const bool is_cross = site == AttentionSite::cross;
  AttentionMethod method{.score = v.attention,
                         .reach = parse_reach(v.attention_reach),
                         .heads = config.heads,
                         .key_value_heads = config.key_value_heads(),
                         .d_key = config.d_key(),
                         .mask = site == AttentionSite::decoder_self ? Mask::causal : Mask::none,
                         .dropout = config.attention_dropout};
  if (!is_cross && method.score == ScoreFunction::location)
    method.score = ScoreFunction::scaled_dot;
  if (!is_cross && method.reach.kind == Reach::predicted) method.reach = {};
  const bool in_embeddings =
      v.positions == Positions::sinusoidal || v.positions == Positions::learned;
  if (!is_cross && !in_embeddings) method.positions = v.positions;
  return method;
}

bool is_fused(const AttentionMethod& method) {
  return method.score != ScoreFunction::additive && method.score != ScoreFunction::location &&
         method.reach.kind != Reach::predicted && method.reach.kind != Reach::hard &&
         method.positions != Positions::relative && method.positions != Positions::t5;
}

KeyValue project_key_value(ForwardPass& pass, const Attention& w, const AttentionMethod& method,
                           const Tensor& key, const Tensor& value, const Indices& positions) {
  KeyValue result;
  if (method.score != ScoreFunction::location)
    result.key = project_key(pass, w, method, key, positions);
  result.value = projected(pass, value, w.value);
  return result;
}

Tensor attend(ForwardPass& pass, const Attention& w, const AttentionMethod& method,
              const AttentionOperands& operands, const WeightsRequest& weights) {
  check(operands.layout.positions != nullptr, "a layout with the positions of the tokens");
  return projected(pass,
                   is_fused(method) ? attend_fused(pass, w, method, operands, weights)
                                    : attend_in_steps(pass, w, method, operands, weights),
                   w.output);
}

}  // namespace heed
