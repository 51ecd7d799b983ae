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

// The first key of `span` with the highest score, or -1.
int64_t best_key(const float* scores, const KeyRange& span) {
  if (span.empty()) return -1;
  return std::max_element(scores + span.begin, scores + span.end) - scores;
}

// softmax [keys] of the scores of `span`, 0 for other keys; both may be the same row. softmax_row()
// works on whole vectors, which rows of any number of keys do not have.
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
