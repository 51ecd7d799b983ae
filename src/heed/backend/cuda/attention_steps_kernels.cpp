#include <algorithm>

#include "heed/backend/cuda/attention_layout.h"
#include "heed/backend/cuda/attention_steps.h"
#include "heed/backend/cuda/fill.h"

namespace heed::cuda {
namespace {

StepValues step_values(const Tensor& x) {
  if (x.dtype() != DType::bf16) return {device_data<float>(x), nullptr};
  return {nullptr, reinterpret_cast<const uint16_t*>(device_data<Bf16>(x))};
}

// The shape of a call. d is taken from `queries`, any tensor of the query's shape [rows, heads *
// d], and the number of key-value heads from the keys or values.
class CallShape {
 public:
  CallShape(const AttentionLayout& layout, int64_t heads, const Tensor& queries, const Tensor& key)
      : device_(layout, Pairs::needed),
        shape_{device_.layout, {heads, heads, queries.columns() / heads}} {
    shape_.heads.key_value = key.columns() / shape_.heads.d;
  }
  // For kernels without queries and keys.
  CallShape(const AttentionLayout& layout, int64_t heads)
      : device_(layout, Pairs::needed), shape_{device_.layout, {heads, heads, 1}} {}

  operator const StepShape&() const { return shape_; }  // NOLINT: a conversion

 private:
  LayoutOnDevice device_;
  StepShape shape_;
};

// The bucket of each distance of a key from its query, or of each position of a key if the kind is
// absolute: buckets[i] is that of first + i.
struct BucketTable {
  int64_t first = 0;
  std::vector<int32_t> buckets;

  BucketTable(const PositionBuckets& kind, const AttentionLayout& layout) {
    int64_t most_keys = 0;
    for (int64_t b = 0; b < layout.keys.lengths.count(); ++b)
      most_keys = std::max(most_keys, layout.keys.lengths.length(b));
    // A query's position is that of one of its keys, so every distance is above -most_keys.
    if (kind.kind != PositionBuckets::Kind::absolute) first = -most_keys;
    for (int64_t i = first; i < most_keys; ++i) buckets.push_back(int32_t(kind.of(0, i)));
  }

  // For each bucket where its distances or positions begin and end: it has those between.
  std::vector<int32_t> ranges(int64_t count) const {
    std::vector<int32_t> result(size_t(2 * count), 0);
    for (size_t i = 0; i < buckets.size(); ++i) {
      if (buckets[i] < 0) continue;
      const auto at = int32_t(first + int64_t(i));
      int32_t* const range = result.data() + 2 * int64_t(buckets[i]);
      if (range[0] == range[1]) range[0] = range[1] = at;
      check(range[1] == at, "a bucket of positions that do not follow one another");
      ++range[1];
    }
    return result;
  }
};

PositionTable table_of(const Tensor& table, const PositionalScores& options) {
  return {options.buckets.count, float(options.scale), table.rows() == 1,
          options.buckets.kind == PositionBuckets::Kind::absolute};
}

void scaled_scores_gradient(const Tensor& dscores, const ScoreOperands& operands,
                            const AttentionLayout& layout, const ScaledScores& options,
                            const ScoreGradient& gradient) {
  const CallShape shape(layout, options.heads, operands.query, operands.key);
  const auto* const weights = device_data<float>(dscores);
  const auto scale = float(options.scale);
  sum_over_keys(shape, weights, step_values(operands.key), scale,
                device_data<float>(gradient.dquery));
  sum_over_queries(shape, weights, device_data<float>(operands.query), scale,
                   device_data<float>(gradient.dkey));
}

void weighted_sum_gradient(const Tensor& dout, const Tensor& weights, const Tensor& value,
                           const AttentionLayout& layout, int64_t heads,
                           const WeightedSumGradient& gradient) {
  const CallShape shape(layout, heads, dout, value);
  scaled_scores(shape, device_data<float>(dout), step_values(value), 1,
                device_data<float>(gradient.dweights));
  sum_over_queries(shape, device_data<float>(weights), device_data<float>(dout), 1,
                   device_data<float>(gradient.dvalue));
}

void additive_gradient(const Tensor& dscores, const ScoreOperands& operands, const Tensor& v,
                       const AttentionLayout& layout, int64_t heads, const ScoreGradient& gradient,
                       Tensor& dv) {
  const CallShape shape(layout, heads, operands.query, operands.key);
  Scratch<float> partial(additive_partials(shape));
  additive_scores_gradient(shape,
                           {device_data<float>(dscores), device_data<float>(operands.query),
                            device_data<float>(operands.key), device_data<float>(v)},
                           {device_data<float>(gradient.dquery), device_data<float>(gradient.dkey),
                            partial.data(), device_data<float>(dv)});
}

void add_scores_by_position(const Tensor& table, const AttentionLayout& layout,
                            const PositionalScores& options, Tensor& scores) {
  const CallShape shape(layout, options.heads);
  const BucketTable places(options.buckets, layout);
  Scratch<int32_t> buckets(places.buckets);
  add_positional_scores(shape, table_of(table, options), buckets.data(), places.first,
                        device_data<float>(table), device_data<float>(scores));
}

void sum_weights(const Tensor& weights, const AttentionLayout& layout,
                 const PositionalScores& options, Tensor& sums) {
  const CallShape shape(layout, options.heads);
  const PositionTable table = table_of(sums, options);
  Scratch<int32_t> ranges(BucketTable(options.buckets, layout).ranges(options.buckets.count));
  Scratch<float> partial(position_partials(shape, table));
  sum_weights_by_position(shape, table, ranges.data(), device_data<float>(weights), partial.data(),
                          device_data<float>(sums));
}

void softmax_in_steps(const Tensor& scores, const AttentionLayout& layout,
                      const AttentionSoftmax& options, const Dropout& dropout,
                      const SoftmaxOutput& result) {
  attention_softmax(CallShape(layout, options.heads),
                    {options.window.value_or(-1), options.key_limit.value_or(-1),
                     options.center ? device_data<float>(*options.center) : nullptr,
                     options.choice == AttentionSoftmax::Choice::hard},
                    dropout, device_data<float>(scores), device_data<float>(result.softmax),
                    result.weights ? device_data<float>(*result.weights) : nullptr);
}

void fill_products(Kernels& kernels) {
  kernels.scaled_scores = [](const ScoreOperands& operands, const AttentionLayout& layout,
                             const ScaledScores& options, Tensor& scores) {
    scaled_scores(CallShape(layout, options.heads, operands.query, operands.key),
                  device_data<float>(operands.query), step_values(operands.key),
                  float(options.scale), device_data<float>(scores));
  };
  kernels.scaled_scores_gradient = scaled_scores_gradient;
  kernels.additive_scores = [](const ScoreOperands& operands, const Tensor& v,
                               const AttentionLayout& layout, int64_t heads, Tensor& scores) {
    additive_scores(CallShape(layout, heads, operands.query, operands.key),
                    device_data<float>(operands.query), step_values(operands.key),
                    device_data<float>(v), device_data<float>(scores));
  };
  kernels.additive_scores_gradient = additive_gradient;
  kernels.weighted_sum = [](const Tensor& weights, const Tensor& value,
                            const AttentionLayout& layout, int64_t heads, Tensor& out) {
    sum_over_keys(CallShape(layout, heads, out, value), device_data<float>(weights),
                  step_values(value), 1, device_data<float>(out));
  };
  kernels.weighted_sum_gradient = weighted_sum_gradient;
}

}  // namespace

void fill_attention_steps(Kernels& kernels) {
  fill_products(kernels);
  kernels.add_positional_scores = add_scores_by_position;
  kernels.sum_weights_by_position = sum_weights;
  kernels.attention_softmax = softmax_in_steps;
  kernels.attention_softmax_gradient = [](const Tensor& dweights, const Tensor& softmax,
                                          const AttentionLayout& layout, int64_t heads,
                                          const Dropout& dropout, Tensor& dscores) {
    attention_softmax_gradient(CallShape(layout, heads), dropout, device_data<float>(dweights),
                               device_data<float>(softmax), device_data<float>(dscores));
  };
  kernels.gaussian_weights = [](const Tensor& weights, const Tensor& center,
                                const AttentionLayout& layout, const GaussianWeights& options,
                                Tensor& out) {
    gaussian_weights(CallShape(layout, options.heads), options.sigma, device_data<float>(weights),
                     device_data<float>(center), device_data<float>(out));
  };
  kernels.gaussian_weights_gradient = [](const Tensor& dout, const Tensor& weights,
                                         const Tensor& center, const AttentionLayout& layout,
                                         const GaussianWeights& options,
                                         const GaussianGradient& gradient) {
    gaussian_weights_gradient(
        CallShape(layout, options.heads), options.sigma,
        {device_data<float>(dout), device_data<float>(weights), device_data<float>(center)},
        device_data<float>(gradient.dweights), device_data<float>(gradient.dcenter));
  };
}

}  // namespace heed::cuda
