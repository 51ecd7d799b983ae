#include "heed/autograd/attention_steps.h"

#include <algorithm>
#include <cmath>

#include "heed/autograd/shared-inl.h"

namespace heed {
namespace {

using detail::OverwrittenGradient;
using detail::SavedLayout;

void check_layout(const AttentionLayout& layout, int64_t query_rows) {
  check(layout.queries.rows() == query_rows, "[attention steps] queries do not fill their layout");
  check(layout.queries.count() == layout.keys.lengths.count(),
        "[attention steps] one key list a sequence");
  if (layout.positions == nullptr) return;
  check(int64_t(layout.positions->size()) == query_rows, "[attention steps] one position a query");
  for (const int32_t position : *layout.positions)
    check(position >= 0, "[attention steps] positions count from 0");
}

// Scores or weights of this layout.
void check_pairs(const Tensor& pairs, const AttentionLayout& layout, int64_t heads) {
  check_layout(layout, layout.queries.rows());
  check(pairs.size() == attention_weight_count(layout, heads),
        "[attention steps] scores [heads, queries, keys] of each sequence");
}

// Keys or values with heads of d columns each.
void check_keys(const ForwardPass& pass, const Tensor& keys, const AttentionLayout& layout,
                DType type, int64_t heads, int64_t d) {
  check(!layout.keys.rows.empty() || layout.keys.lengths.rows() <= keys.rows(),
        "[attention steps] fewer keys than their layout has");
  check(keys.dtype() == type || keys.dtype() == pass.backend.cache_type(type),
        "[attention steps] keys and values of the query's type, or cached");
  check(d > 0 && keys.columns() % d == 0 && heads % (keys.columns() / d) == 0,
        "[attention steps] heads are divisible by the heads of keys and values");
}

void check_operands(const ForwardPass& pass, const ScoreOperands& operands,
                    const AttentionLayout& layout, int64_t heads) {
  const auto& [query, key] = operands;
  check(query.columns() % heads == 0, "[attention steps] d_model is not divisible by heads");
  check_layout(layout, query.rows());
  check_keys(pass, key, layout, query.dtype(), heads, query.columns() / heads);
}

Tensor pairs_of(ForwardPass& pass, const AttentionLayout& layout, int64_t heads, DType type) {
  return pass.tensor({attention_weight_count(layout, heads)}, type);
}

}  // namespace

Tensor scaled_scores(ForwardPass& pass, const ScoreOperands& operands,
                     const AttentionLayout& layout, const ScaledScores& options) {
  check_operands(pass, operands, layout, options.heads);
  Tensor scores = pairs_of(pass, layout, options.heads, operands.query.dtype());
  pass.backend.scaled_scores(operands, layout, options, scores);
  if (pass.tape)
    pass.tape->record(scores, [&pass, query = operands.query, key = operands.key,
                               saved = SavedLayout(layout), options](const Tensor& dscores) {
      OverwrittenGradient dquery(pass, query), dkey(pass, key);
      pass.backend.scaled_scores_gradient(dscores, {query, key}, saved.layout(), options,
                                          {dquery.tensor(), dkey.tensor()});
      dquery.finish();
      dkey.finish();
    });
  return scores;
}

Tensor additive_scores(ForwardPass& pass, const ScoreOperands& operands, const Tensor& v,
                       const AttentionLayout& layout, int64_t heads) {
  check_operands(pass, operands, layout, heads);
  check(v.size() == operands.query.columns(), "[additive_scores] v [heads * d_key]");
  Tensor scores = pairs_of(pass, layout, heads, operands.query.dtype());
  pass.backend.additive_scores(operands, v, layout, heads, scores);
  if (pass.tape)
    pass.tape->record(scores, [&pass, query = operands.query, key = operands.key, v,
                               saved = SavedLayout(layout), heads](const Tensor& dscores) {
      OverwrittenGradient dquery(pass, query), dkey(pass, key);
      Tensor dv = pass.tape->accumulation_buffer(v);
      pass.backend.additive_scores_gradient(dscores, {query, key}, v, saved.layout(), heads,
                                            {dquery.tensor(), dkey.tensor()}, dv);
      dquery.finish();
      dkey.finish();
    });
  return scores;
}

// `scores` by value: a caller that gives its last handle lets the memory be reused.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Tensor add_positional_scores(ForwardPass& pass, Tensor scores, const Tensor& table,
                             const AttentionLayout& layout, const PositionalScores& options) {
  check(table.columns() == options.heads * options.buckets.count &&
            (table.rows() == 1 || table.rows() == layout.queries.rows()),
        "[add_positional_scores] table [query rows or 1, heads * buckets]");
  Tensor sum;
  if (scores) {
    check_pairs(scores, layout, options.heads);
    sum = detail::in_memory_of(pass, scores);
    if (!detail::share_memory(sum, scores)) copy(scores, sum);
  } else {
    check_layout(layout, layout.queries.rows());
    sum = pairs_of(pass, layout, options.heads, table.dtype());
    fill_zeros(sum);
  }
  pass.backend.add_positional_scores(table, layout, options, sum);
  if (pass.tape)
    pass.tape->record(
        sum, [&pass, scores, table, saved = SavedLayout(layout), options](const Tensor& dsum) {
          Tensor dtable = pass.tape->accumulation_buffer(table);
          pass.backend.sum_weights_by_position(dsum, saved.layout(), options, dtable);
          if (scores) detail::pass_on(pass, dsum, scores);
        });
  return sum;
}

Tensor sum_weights_by_position(ForwardPass& pass, const Tensor& weights,
                               const AttentionLayout& layout, const PositionalScores& options) {
  check_pairs(weights, layout, options.heads);
  Tensor sums =
      pass.tensor({layout.queries.rows(), options.heads * options.buckets.count}, weights.dtype());
  fill_zeros(sums);
  pass.backend.sum_weights_by_position(weights, layout, options, sums);
  if (pass.tape)
    pass.tape->record(
        sums, [&pass, weights, saved = SavedLayout(layout), options](const Tensor& dsums) {
          Tensor dweights = pass.tape->accumulation_buffer(weights);
          pass.backend.add_positional_scores(dsums, saved.layout(), options, dweights);
        });
  return sums;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param)
Tensor attention_softmax(ForwardPass& pass, Tensor scores, const AttentionLayout& layout,
                         const AttentionSoftmax& options, double dropout) {
  check_pairs(scores, layout, options.heads);
  check(!options.center || options.center->size() == layout.queries.rows() * options.heads,
        "[attention_softmax] center [query rows, heads]");
  const Dropout dropped = pass.next_dropout(dropout);
  const bool as_they_are = options.choice == AttentionSoftmax::Choice::soft && !dropped;
  Tensor softmax = detail::in_memory_of(pass, scores);
  Tensor weights = as_they_are ? softmax : pairs_of(pass, layout, options.heads, scores.dtype());
  pass.backend.attention_softmax(scores, layout, options, dropped,
                                 {softmax, as_they_are ? nullptr : &weights});
  if (pass.tape)
    pass.tape->record(weights, [&pass, scores, softmax, saved = SavedLayout(layout),
                                heads = options.heads, dropped](const Tensor& dweights) {
      OverwrittenGradient dscores(pass, scores);
      pass.backend.attention_softmax_gradient(dweights, softmax, saved.layout(), heads, dropped,
                                              dscores.tensor());
      dscores.finish();
    });
  return weights;
}

Tensor predicted_centers(ForwardPass& pass, const Tensor& share, const AttentionLayout& layout) {
  check_layout(layout, share.rows());
  // How many keys the sequence of each query has.
  Tensor counts(share.shape(), share.dtype());
  int64_t next = 0;
  for (int64_t b = 0; b < layout.queries.count(); ++b)
    for (int64_t i = 0; i < layout.queries.length(b) * share.columns(); ++i)
      set_element(counts, next++, double(layout.keys.lengths.length(b)));
  Tensor lengths = pass.tensor(share.shape(), share.dtype());
  copy(counts, lengths);
  return multiply(pass, share, lengths);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param)
Tensor gaussian_weights(ForwardPass& pass, Tensor weights, const Tensor& center,
                        const AttentionLayout& layout, const GaussianWeights& options) {
  check_pairs(weights, layout, options.heads);
  check(center.size() == layout.queries.rows() * options.heads,
        "[gaussian_weights] center [query rows, heads]");
  // The gradient needs the weights that came in.
  Tensor out = pass.tape ? pass.tensor(weights.shape(), weights.dtype())
                         : detail::in_memory_of(pass, weights);
  pass.backend.gaussian_weights(weights, center, layout, options, out);
  if (pass.tape)
    pass.tape->record(
        out, [&pass, weights, center, saved = SavedLayout(layout), options](const Tensor& dout) {
          OverwrittenGradient dweights(pass, weights), dcenter(pass, center);
          pass.backend.gaussian_weights_gradient(dout, weights, center, saved.layout(), options,
                                                 {dweights.tensor(), dcenter.tensor()});
          dweights.finish();
          dcenter.finish();
        });
  return out;
}

Tensor weighted_sum(ForwardPass& pass, const Tensor& weights, const Tensor& value,
                    const AttentionLayout& layout, const HeadCounts& counts) {
  check_pairs(weights, layout, counts.heads);
  check(value.columns() % counts.key_value_heads == 0,
        "[weighted_sum] columns not divisible by heads");
  const int64_t d_value = value.columns() / counts.key_value_heads;
  check_keys(pass, value, layout, weights.dtype(), counts.heads, d_value);
  Tensor out = pass.tensor({layout.queries.rows(), counts.heads * d_value}, weights.dtype());
  pass.backend.weighted_sum(weights, value, layout, counts.heads, out);
  if (pass.tape)
    pass.tape->record(out, [&pass, weights, value, saved = SavedLayout(layout),
                            heads = counts.heads](const Tensor& dout) {
      OverwrittenGradient dweights(pass, weights), dvalue(pass, value);
      pass.backend.weighted_sum_gradient(dout, weights, value, saved.layout(), heads,
                                         {dweights.tensor(), dvalue.tensor()});
      dweights.finish();
      dvalue.finish();
    });
  return out;
}

double attention_loss(ForwardPass& pass, const Tensor& weights,
                      const std::vector<WeightTarget>& targets, double gradient_factor) {
  constexpr double kLeast = 1e-30;  // a weight that underflowed has a finite loss and gradient
  const Tensor values = to_host(weights);
  Tensor gradient(weights.shape(), weights.dtype());
  double loss = 0;
  for (const WeightTarget& target : targets) {
    check(target.index >= 0 && target.index < values.size(), "[attention_loss] no such weight");
    const double weight = std::max(element(values, target.index), kLeast);
    loss -= target.probability * std::log(weight);
    const double before = element(gradient, target.index);
    set_element(gradient, target.index, before - gradient_factor * target.probability / weight);
  }
  if (!pass.tape) return loss;
  gradient.move_to(pass.backend.memory());
  pass.tape->set_gradient(weights, std::move(gradient));
  return loss;
}

}  // namespace heed
