// From scores to weights: softmax over the keys that a query may attend to, the choice of one key,
// dropout, and the Gaussian of local attention.
//
// Sums over keys have key j in lane j % kLanes wherever the keys of a query begin, and lanes
// without a key add 0: so a query's bits are the same alone and within its prefix.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/attention_weights.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include <cmath>

#include "heed/backend/cpu/attention_steps-inl.h"
#include "heed/backend/cpu/dispatch.h"
#include "heed/backend/cpu/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

// The keys that the sequence's query i may attend to.
KeyRange span_of(const StepHead& head, const AttentionSoftmax& options, int64_t i) {
  double begin = 0, end = double(head.seen(i));
  if (options.key_limit) end = std::min(end, double(*options.key_limit));
  if (options.window) {
    const double center = options.center ? double(*head.part(options.center->data<float>(), 1, i))
                                         : double(head.layout.position(head.sequence, i));
    // A center that is not a number leaves all keys: it can be no index.
    begin = std::fmax(begin, std::ceil(center - double(*options.window)));
    end = std::fmin(end, std::floor(center + double(*options.window)) + 1);
  }
  if (!(begin < end)) return {0, 0};
  return {int64_t(begin), int64_t(end)};
}

struct SoftmaxRow {
  const float* scores;
  float* softmax;  // may be the scores
  int64_t keys;
  KeyRange span;

  int64_t begin() const { return span.begin / kLanes * kLanes; }
  Vector score(int64_t c) const { return load(scores + c, span.end - c); }
  // `value` in the lanes of its keys, `other` in the others; lane 0 is key c.
  HWY_INLINE Vector among(int64_t c, Vector value, Vector other) const {
    return between(value, span.begin - c, span.end - c, other);
  }
};

// The highest score.
float top_of(const SoftmaxRow& row) {
  const Vector least = set(-std::numeric_limits<float>::infinity());
  Vector top = least;
  for (int64_t c = row.begin(); c < row.span.end; c += kLanes)
    top = hn::Max(top, row.among(c, row.score(c), least));
  return max_of(top);
}

void softmax(const SoftmaxRow& row, float top) {
  Vector total = zero();
  const int64_t begin = row.begin();
  for (int64_t c = begin; c < row.span.end; c += kLanes) {
    const Vector weight = row.among(c, exp(hn::Sub(row.score(c), set(top))), zero());
    store(weight, row.softmax + c, row.keys - c);
    total = hn::Add(total, weight);
  }
  const Vector inverse = hn::Div(set(1.0f), set(sum_of(total)));
  for (int64_t c = begin; c < row.span.end; c += kLanes)
    store(hn::Mul(load(row.softmax + c, row.keys - c), inverse), row.softmax + c, row.keys - c);
  std::fill_n(row.softmax, begin, 0.0f);
  std::fill(row.softmax + row.span.end, row.softmax + row.keys, 0.0f);
}

// The first key whose score is `top`; -1 if none is.
int64_t key_with(const SoftmaxRow& row, float top) {
  const float* end = row.scores + row.span.end;
  const float* found = std::find(row.scores + row.span.begin, end, top);
  return found == end ? -1 : found - row.scores;
}

// weights = dropout(softmax).
void drop_weights(const SoftmaxRow& row, const DropoutFactors& factors, int64_t index,
                  float* weights) {
  for (int64_t c = 0; c < row.keys; c += kLanes) {
    const int64_t left = row.keys - c;
    const Vector weight = load(row.softmax + c, left);
    store(factors.on() ? hn::Mul(weight, factors.at(index + c)) : weight, weights + c, left);
  }
}

// weights = dropout(1 for this key, 0 for others); -1: no key.
void choose_key(const SoftmaxRow& row, int64_t key, const Dropout& dropout, int64_t index,
                float* weights) {
  std::fill_n(weights, row.keys, 0.0f);
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
      const SoftmaxRow row{scores.data<float>() + at, result.softmax.data<float>() + at, head.keys,
                           span_of(head, options, i)};
      const float top = top_of(row);
      const int64_t key = hard ? key_with(row, top) : -1;  // before the scores are overwritten
      softmax(row, top);
      if (!result.weights) continue;
      const int64_t index = weight_dropout_index(head.query_begin + i, head.index, head.heads);
      float* weights = result.weights->data<float>() + at;
      if (hard)
        choose_key(row, key, dropout, index, weights);
      else
        drop_weights(row, DropoutFactors(dropout, index), index, weights);
    }
  });
}

// The gradient of the softmax's scores from that of its dropped weights, over the keys of one row.
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

// The distances of keys from c on to a center, and their factors.
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

void fill_attention_weight_kernels(CpuKernels& kernels) {
  kernels.attention_softmax = attention_softmax;
  kernels.attention_softmax_gradient = attention_softmax_gradient;
  kernels.gaussian_weights = gaussian_weights;
  kernels.gaussian_weights_gradient = gaussian_weights_gradient;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_attention_weight_kernels);
void fill_attention_weights(int64_t target, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_attention_weight_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
