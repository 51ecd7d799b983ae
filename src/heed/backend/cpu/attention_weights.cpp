// From scores to weights: scores by the positions of queries and keys, from a table with an entry
// for each bucket, and the sums of weights by bucket, which are the transposed operation; softmax
// over the keys that a query may attend to, the choice of one key, dropout, and the Gaussian of
// local attention.
//
// Sums over keys have key j in lane j % kLanes wherever the keys of a query begin, and lanes
// without a key add 0: so the result of a query has the same bits alone and together with others.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/attention_weights.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include <cmath>
#include <vector>

#include "heed/backend/cpu/attention_steps-inl.h"
#include "heed/backend/cpu/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

// to += scale * from.
void add_row(const float* from, float scale, int64_t count, float* to) {
  for (int64_t c = 0; c < count; c += kLanes)
    store(hn::MulAdd(load(from + c, count - c), set(scale), load(to + c, count - c)), to + c,
          count - c);
}

// to[j] += scale * row[bucket[j]], rounded as add_row() rounds. The table of a single query has one
// row, as one that all queries share, and is read by add_row(): with other queries beside it, the
// same query must have the same bits.
void add_gathered(const float* row, const int32_t* bucket, float scale, int64_t count, float* to) {
  for (int64_t c = 0; c < count; c += kLanes) {
    HWY_ALIGN float lanes[kLanes] = {};
    for (int64_t i = 0; i < std::min(kLanes, count - c); ++i) lanes[i] = row[bucket[c + i]];
    const Vector sum = hn::MulAdd(hn::Load(kFloats, lanes), set(scale), load(to + c, count - c));
    store(sum, to + c, count - c);
  }
}

// The entries of a query in a table [query rows or 1, heads * buckets], one for each of its keys.
struct PositionRow {
  int64_t score;          // the index of its first score
  int64_t entry;          // the index of its first entry; if `bucket` is set, of bucket 0
  const int32_t* bucket;  // of each key; null: the entries follow one another
  int64_t count;          // of keys
};

// The entries that the scores of a call belong to. Where all queries share one row of a table with
// an entry for each bucket of distances, the entries are copied once, one for each distance, so
// that those of a query are contiguous.
class PositionRows {
 public:
  PositionRows(const Tensor& table, const AttentionLayout& layout, const PositionalScores& options)
      : layout_(layout),
        options_(options),
        absolute_(options.buckets.kind == PositionBuckets::Kind::absolute),
        shared_(table.rows() == 1) {
    for (int64_t b = 0; b < layout.keys.lengths.count(); ++b)
      longest_ = std::max(longest_, layout.keys.lengths.length(b));
    for (int64_t distance = -longest_; !absolute_ && distance <= longest_; ++distance)
      buckets_.push_back(int32_t(options.buckets.of(0, distance)));
  }

  // [heads, distances]: the row by distance; null if the table is used as it is.
  float* by_distance() const {
    if (absolute_ || !shared_) return nullptr;
    return scratch(Scratch::position_scores, options_.heads * distances());
  }
  // Calls f(index in by_distance(), index in the table).
  template <class F>
  void each_distance(const F& f) const {
    for (int64_t h = 0; h < options_.heads; ++h)
      for (int64_t i = 0; i < distances(); ++i)
        f(h * distances() + i, h * options_.buckets.count + buckets_[size_t(i)]);
  }
  // Calls f(PositionRow) for each query that sees any key.
  template <class F>
  void each(const F& f) const {
    each_head(layout_, options_.heads, [&](const StepHead& head) {
      for (int64_t i = 0; i < head.queries; ++i)
        if (head.seen(i) > 0) f(row(head, i));
    });
  }

 private:
  int64_t distances() const { return int64_t(buckets_.size()); }
  PositionRow row(const StepHead& head, int64_t i) const {
    const int64_t count = options_.buckets.count, seen = head.seen(i);
    const int64_t score = head.row_of_scores(i);
    const int64_t table_row = shared_ ? 0 : head.query_begin + i;
    const int64_t entry = (table_row * head.heads + head.index) * count;
    if (absolute_) return {score, entry, nullptr, std::min(seen, count)};
    // The index of the distance of key 0.
    const int64_t first = longest_ - layout_.position(head.sequence, i);
    if (shared_) return {score, head.index * distances() + first, nullptr, seen};
    return {score, entry, buckets_.data() + first, seen};
  }

  const AttentionLayout& layout_;
  const PositionalScores& options_;
  bool absolute_, shared_;
  int64_t longest_ = 0;
  std::vector<int32_t> buckets_;  // of the distances from -longest_ to longest_
};

void add_positional_scores(const Tensor& table, const AttentionLayout& layout,
                           const PositionalScores& options, Tensor& scores) {
  const PositionRows rows(table, layout, options);
  const auto scale = float(options.scale);
  const float* from = table.data<float>();
  if (float* by_distance = rows.by_distance()) {
    rows.each_distance([&](int64_t to, int64_t entry) { by_distance[to] = from[entry]; });
    from = by_distance;
  }
  rows.each([&](const PositionRow& row) {
    float* to = scores.data<float>() + row.score;
    if (row.bucket)
      add_gathered(from + row.entry, row.bucket, scale, row.count, to);
    else
      add_row(from + row.entry, scale, row.count, to);
  });
}

void sum_weights_by_position(const Tensor& weights, const AttentionLayout& layout,
                             const PositionalScores& options, Tensor& sums) {
  const PositionRows rows(sums, layout, options);
  const auto scale = float(options.scale);
  float *table = sums.data<float>(), *by_distance = rows.by_distance();
  if (by_distance) rows.each_distance([&](int64_t to, int64_t) { by_distance[to] = 0; });
  rows.each([&](const PositionRow& row) {
    const float* from = weights.data<float>() + row.score;
    float* to = (by_distance ? by_distance : table) + row.entry;
    if (!row.bucket) return add_row(from, scale, row.count, to);
    for (int64_t j = 0; j < row.count; ++j) to[row.bucket[j]] += scale * from[j];
  });
  if (by_distance)
    rows.each_distance([&](int64_t from, int64_t entry) { table[entry] += by_distance[from]; });
}

// The keys that the sequence's query i may attend to.
KeyRange span_of(const StepHead& head, const AttentionSoftmax& options, int64_t i) {
  double begin = 0, end = double(head.seen(i));
  if (options.key_limit) end = std::min(end, double(*options.key_limit));
  if (options.window) {
    const double center = options.center ? double(*head.part(options.center->data<float>(), 1, i))
                                         : double(head.layout.position(head.sequence, i));
    // fmax and fmin ignore NaN, so a center that is NaN allows all keys, and is never converted to
    // an index.
    begin = std::fmax(begin, std::ceil(center - double(*options.window)));
    end = std::fmin(end, std::floor(center + double(*options.window)) + 1);
  }
  if (!(begin < end)) return {0, 0};
  return {int64_t(begin), int64_t(end)};
}

// The first key of `span` with the highest score, or -1.
int64_t best_key(const float* scores, const KeyRange& span) {
  if (span.empty()) return -1;
  return std::max_element(scores + span.begin, scores + span.end) - scores;
}

// softmax [keys] of the scores of `span`, 0 for other keys; both may be the same row. softmax_row()
// works on whole vectors, so the row is copied to memory that is padded to them.
void softmax_of(const float* scores, const KeyRange& span, int64_t keys, float* softmax) {
  const int64_t stride = divide_up(keys, kLanes) * kLanes;
  float* row = scratch(Scratch::attention_weights, stride);
  std::copy_n(scores, keys, row);
  softmax_row(row, span, stride, ScaledLogits{1});
  std::copy_n(row, keys, softmax);
}

// weights = dropout(softmax).
void drop_weights(const float* softmax, int64_t keys, const DropoutFactors& factors, int64_t index,
                  float* weights) {
  for (int64_t c = 0; c < keys; c += kLanes) {
    const Vector weight = load(softmax + c, keys - c);
    store(factors.on() ? hn::Mul(weight, factors.at(index + c)) : weight, weights + c, keys - c);
  }
}

// weights = dropout(1 for this key, 0 for others); -1: no key.
void choose_key(int64_t key, int64_t keys, const Dropout& dropout, int64_t index, float* weights) {
  std::fill_n(weights, keys, 0.0f);
  if (key < 0) return;
  const bool kept = !dropout || dropout.bits(uint64_t(index + key)) >= dropout.threshold();
  weights[key] = kept ? float(dropout.scale()) : 0.0f;
}

void attention_softmax(const Tensor& scores, const AttentionLayout& layout,
                       const AttentionSoftmax& options, const Dropout& dropout,
                       const SoftmaxOutput& result) {
  const bool hard = options.choice == AttentionSoftmax::Choice::hard;
  each_head(layout, options.heads, [&](const StepHead& head) {
    for (int64_t i = 0; i < head.queries; ++i) {
      const int64_t at = head.row_of_scores(i);
      const float* row = scores.data<float>() + at;
      float* softmax = result.softmax.data<float>() + at;
      const KeyRange span = span_of(head, options, i);
      const int64_t key = hard ? best_key(row, span) : -1;  // before the scores are overwritten
      softmax_of(row, span, head.keys, softmax);
      if (!result.weights) continue;
      const int64_t index = weight_dropout_index(head.query_begin + i, head.index, head.heads);
      float* weights = result.weights->data<float>() + at;
      if (hard)
        choose_key(key, head.keys, dropout, index, weights);
      else
        drop_weights(softmax, head.keys, DropoutFactors(dropout, index), index, weights);
    }
  });
}

// The gradient of the softmax's scores from that of its weights after dropout, over the keys of one
// row.
void softmax_row_gradient(const float* dweights, const float* softmax,
                          const DropoutFactors& factors, int64_t index, int64_t seen,
                          float* dscores) {
  Vector sum = zero();
  const auto dweight = [&](int64_t c) HWY_ATTR {
    const Vector own = load(dweights + c, seen - c);
    return factors.on() ? hn::Mul(own, factors.at(index + c)) : own;
  };
  for (int64_t c = 0; c < seen; c += kLanes)
    sum = hn::MulAdd(load(softmax + c, seen - c), dweight(c), sum);
  const Vector total = set(sum_of(sum));
  for (int64_t c = 0; c < seen; c += kLanes)
    store(hn::Mul(load(softmax + c, seen - c), hn::Sub(dweight(c), total)), dscores + c, seen - c);
}

void attention_softmax_gradient(const Tensor& dweights, const Tensor& softmax,
                                const AttentionLayout& layout, int64_t heads,
                                const Dropout& dropout, Tensor& dscores) {
  each_head(layout, heads, [&](const StepHead& head) {
    for (int64_t i = 0; i < head.queries; ++i) {
      const int64_t at = head.row_of_scores(i), seen = head.seen(i);
      const int64_t index = weight_dropout_index(head.query_begin + i, head.index, heads);
      float* row = dscores.data<float>() + at;
      softmax_row_gradient(dweights.data<float>() + at, softmax.data<float>() + at,
                           DropoutFactors(dropout, index), index, seen, row);
      std::fill(row + seen, row + head.keys, 0.0f);
    }
  });
}

// The distances to a center of the keys c, c + 1, ... (one a lane), and their factors.
struct Gaussian {
  float center, exponent;  // -1 / (2 sigma^2)

  Gaussian(float center, double sigma)
      : center(center), exponent(float(-1 / (2 * sigma * sigma))) {}
  HWY_INLINE Vector distance(int64_t c) const {
    return hn::Sub(hn::Iota(kFloats, float(c)), set(center));
  }
  HWY_INLINE Vector factor(Vector distance) const {
    return exp(hn::Mul(hn::Mul(distance, distance), set(exponent)));
  }
};

void gaussian_row(const Gaussian& gaussian, const float* weights, int64_t seen, float* out) {
  for (int64_t c = 0; c < seen; c += kLanes)
    store(hn::Mul(load(weights + c, seen - c), gaussian.factor(gaussian.distance(c))), out + c,
          seen - c);
}

void gaussian_weights(const Tensor& weights, const Tensor& center, const AttentionLayout& layout,
                      const GaussianWeights& options, Tensor& out) {
  each_head(layout, options.heads, [&](const StepHead& head) {
    for (int64_t i = 0; i < head.queries; ++i) {
      const int64_t at = head.row_of_scores(i), seen = head.seen(i);
      float* row = out.data<float>() + at;
      gaussian_row({*head.part(center.data<float>(), 1, i), options.sigma},
                   weights.data<float>() + at, seen, row);
      std::fill(row + seen, row + head.keys, 0.0f);
    }
  });
}

// Returns the gradient of the center.
float gaussian_row_gradient(const Gaussian& gaussian, const float* dout, const float* weights,
                            int64_t seen, float* dweights) {
  Vector sum = zero();
  for (int64_t c = 0; c < seen; c += kLanes) {
    const Vector distance = gaussian.distance(c);
    const Vector dweight = hn::Mul(load(dout + c, seen - c), gaussian.factor(distance));
    // Beyond `seen` the weight is 0.
    sum = hn::MulAdd(hn::Mul(dweight, distance), load(weights + c, seen - c), sum);
    store(dweight, dweights + c, seen - c);
  }
  return -2 * gaussian.exponent * sum_of(sum);
}

void gaussian_weights_gradient(const Tensor& dout, const Tensor& weights, const Tensor& center,
                               const AttentionLayout& layout, const GaussianWeights& options,
                               const GaussianGradient& gradient) {
  each_head(layout, options.heads, [&](const StepHead& head) {
    for (int64_t i = 0; i < head.queries; ++i) {
      const int64_t at = head.row_of_scores(i), seen = head.seen(i);
      float* row = gradient.dweights.data<float>() + at;
      *head.part(gradient.dcenter.data<float>(), 1, i) =
          gaussian_row_gradient({*head.part(center.data<float>(), 1, i), options.sigma},
                                dout.data<float>() + at, weights.data<float>() + at, seen, row);
      std::fill(row + seen, row + head.keys, 0.0f);
    }
  });
}

}  // namespace

void fill_attention_weights_kernels(CpuKernels& kernels) {
  kernels.add_positional_scores = add_positional_scores;
  kernels.sum_weights_by_position = sum_weights_by_position;
  kernels.attention_softmax = attention_softmax;
  kernels.attention_softmax_gradient = attention_softmax_gradient;
  kernels.gaussian_weights = gaussian_weights;
  kernels.gaussian_weights_gradient = gaussian_weights_gradient;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_attention_weights_kernels);
void fill_attention_weights(int64_t target, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_attention_weights_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
