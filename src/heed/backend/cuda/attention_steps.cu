// Steps over the keys of one query, whose sums have key j in lane j % kWarp: so the result of a
// query has the same bits alone and together with others.
#include <algorithm>

#include "heed/backend/cuda/attention_steps.h"
#include "heed/backend/cuda/layout_rules-inl.h"
#include "heed/backend/cuda/parts-inl.h"

namespace heed::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarp;

// A query under one head. Each has a warp.
struct Row {
  int64_t head;
  int64_t number;         // row of the query tensor * heads + head
  int64_t first;          // of its scores
  int64_t keys, visible;  // of the sequence, and those that it sees
  int64_t position;       // of the query
};

// Calls f(thread, row) for each, in all lanes of its warp.
template <class F>
void for_rows(const StepShape& shape, const F& f) {
  const int64_t blocks = blocks_for(shape.heads.count * shape.layout.most_queries, kWarps);
  launch<kThreads>(shape.layout.sequences * blocks, 0, [=] __device__(const Thread& thread) {
    const int64_t number = thread.block() / blocks, heads = shape.heads.count;
    const Sequence sequence(shape.layout, number);
    const int64_t row = thread.block() % blocks * kWarps + thread.warp();
    if (row >= heads * sequence.queries) return;  // the whole warp
    const int64_t head = row / sequence.queries, query = row % sequence.queries;
    f(thread, Row{head, (sequence.first_query + query) * heads + head,
                  heads * shape.layout.pairs[number] + row * sequence.keys, sequence.keys,
                  sequence.visible_keys(query), sequence.position(query)});
  });
}

// The dropout index of a weight: weight_dropout_index() of backend/attention_steps.h.
__device__ int64_t dropout_index(const Row& row, int64_t key) {
  return (row.number << 32) + key;
}

// The keys that the softmax is over.
__device__ Keys attended(const SoftmaxOptions& options, const Row& row) {
  double begin = 0, end = double(row.visible);
  if (options.key_limit >= 0) end = fmin(end, double(options.key_limit));
  if (options.window >= 0) {
    const auto window = double(options.window);
    const double center =
        options.center ? double(options.center[row.number]) : double(row.position);
    // fmax and fmin ignore NaN: a center that is NaN allows all keys, and is never an index.
    begin = fmax(begin, ceil(center - window));
    end = fmin(end, floor(center + window) + 1);
  }
  if (!(begin < end)) return {0, 0};
  return {int64_t(begin), int64_t(end)};
}

// exp(-(key - center)^2 / (2 sigma^2)).
struct Gaussian {
  float exponent, inverse_variance;

  explicit Gaussian(double sigma)
      : exponent(float(-1 / (2 * sigma * sigma))), inverse_variance(float(1 / (sigma * sigma))) {}
  __device__ float factor(float distance) const { return expf(distance * distance * exponent); }
};

}  // namespace

void add_positional_scores(const StepShape& shape, const PositionTable& options,
                           const int32_t* buckets, int64_t first, const float* table,
                           float* scores) {
  for_rows(shape, [=] __device__(const Thread& thread, const Row& row) {
    const int64_t origin = first + (options.absolute ? 0 : row.position);
    const float* const own = table + (options.shared ? row.head : row.number) * options.count;
    for (int64_t j = thread.lane(); j < row.visible; j += kWarp) {
      const int32_t bucket = buckets[j - origin];
      float& score = scores[row.first + j];
      if (bucket >= 0) score = fmaf(options.scale, own[bucket], score);
    }
  });
}

void attention_softmax(const StepShape& shape, const SoftmaxOptions& options,
                       const Dropout& dropout, const float* scores, float* softmax,
                       float* weights) {
  const DropoutFactors factor(dropout);
  for_rows(shape, [=] __device__(const Thread& thread, const Row& row) {
    const Keys keys = attended(options, row);
    const float* const from = scores + row.first;
    const auto in = [keys](int64_t j) { return j >= keys.begin && j < keys.end; };
    const int64_t first = keys.begin / kWarp * kWarp + thread.lane();
    float top = -INFINITY, sum = 0;
    for (int64_t j = first; j < keys.end; j += kWarp)
      if (in(j)) top = fmaxf(top, from[j]);
    top = warp_max(thread, top);
    int64_t best = row.keys;  // the first key that has the highest score
    for (int64_t j = first; j < keys.end; j += kWarp) {
      if (!in(j)) continue;
      sum += expf(from[j] - top);
      if (from[j] == top) best = std::min(best, j);
    }
    sum = warp_sum(thread, sum);
    for (int mask = kWarp / 2; mask > 0; mask /= 2)
      best = std::min(best, thread.shuffle_xor(best, mask));
    for (int64_t j = thread.lane(); j < row.keys; j += kWarp) {
      const float weight = in(j) ? expf(from[j] - top) / sum : 0;
      softmax[row.first + j] = weight;
      if (!weights) continue;
      const float chosen = options.hard ? float(j == best) : weight;
      weights[row.first + j] = chosen * factor(dropout_index(row, j));
    }
  });
}

void attention_softmax_gradient(const StepShape& shape, const Dropout& dropout,
                                const float* dweights, const float* softmax, float* dscores) {
  const DropoutFactors factor(dropout);
  for_rows(shape, [=] __device__(const Thread& thread, const Row& row) {
    const auto dweight = [&](int64_t j) {
      return factor(dropout_index(row, j)) * dweights[row.first + j];
    };
    float total = 0;
    for (int64_t j = thread.lane(); j < row.visible; j += kWarp)
      total = fmaf(softmax[row.first + j], dweight(j), total);
    total = warp_sum(thread, total);
    for (int64_t j = thread.lane(); j < row.keys; j += kWarp)
      dscores[row.first + j] = j < row.visible ? softmax[row.first + j] * (dweight(j) - total) : 0;
  });
}

void gaussian_weights(const StepShape& shape, double sigma, const float* weights,
                      const float* center, float* out) {
  const Gaussian gaussian(sigma);
  for_rows(shape, [=] __device__(const Thread& thread, const Row& row) {
    for (int64_t j = thread.lane(); j < row.keys; j += kWarp) {
      const float factor = gaussian.factor(float(j) - center[row.number]);
      out[row.first + j] = j < row.visible ? weights[row.first + j] * factor : 0;
    }
  });
}

void gaussian_weights_gradient(const StepShape& shape, double sigma,
                               const GaussianOperands& operands, float* dweights, float* dcenter) {
  const Gaussian gaussian(sigma);
  for_rows(shape, [=] __device__(const Thread& thread, const Row& row) {
    float sum = 0;
    for (int64_t j = thread.lane(); j < row.keys; j += kWarp) {
      const float distance = float(j) - operands.center[row.number];
      const float dweight = operands.dout[row.first + j] * gaussian.factor(distance);
      if (j < row.visible) sum = fmaf(dweight * operands.weights[row.first + j], distance, sum);
      dweights[row.first + j] = j < row.visible ? dweight : 0;
    }
    sum = warp_sum(thread, sum);
    if (thread.lane() == 0) dcenter[row.number] = sum * gaussian.inverse_variance;
  });
}

}  // namespace heed::cuda
