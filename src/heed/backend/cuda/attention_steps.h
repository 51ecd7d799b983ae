// Kernels of attention in steps. Scores and weights are, for each sequence, [heads, queries, keys],
// one after the other (Layout::pairs); all kernels write 0 for a key that a query does not see.
#pragma once

#include <cstdint>

#include "heed/backend/cuda/layout.h"
#include "heed/core/rng.h"

namespace heed::cuda {

// Heads of `d` columns: `count` of the query, and those that keys and values have.
struct StepHeads {
  int64_t count, key_value, d;

  int64_t group() const { return count / key_value; }  // heads that share a key-value head
};

// The values of a tensor: floats, or the bf16 of a cache.
struct StepValues {
  const float* floats;
  const uint16_t* rounded;  // null: floats
};

// The shape of the scores: a layout of queries and keys, and heads.
struct StepShape {
  Layout layout;
  StepHeads heads;
};

// scores = scale * Q K^T.
void scaled_scores(const StepShape& shape, const float* query, const StepValues& key, float scale,
                   float* scores);
// out = scale * weights K, for each query; out [query rows, heads * d]. K are keys, or the values
// of a weighted sum.
void sum_over_keys(const StepShape& shape, const float* weights, const StepValues& key, float scale,
                   float* out);
// out = scale * weights^T Q, for each key, and over the heads of its group in their order.
void sum_over_queries(const StepShape& shape, const float* weights, const float* query, float scale,
                      float* out);

// score of head h = v_h . tanh(query_h + key_h).
void additive_scores(const StepShape& shape, const float* query, const StepValues& key,
                     const float* v, float* scores);
struct AdditiveOperands {
  const float *dscores, *query, *key, *v;
};
struct AdditiveGradient {
  float *dquery, *dkey;
  float* partial_dv;  // scratch memory: additive_partials() values
  float* dv;          // added to
};
int64_t additive_partials(const StepShape& shape);
void additive_scores_gradient(const StepShape& shape, const AdditiveOperands& operands,
                              const AdditiveGradient& gradient);

// A table [query rows or 1, heads * count] with an entry for each bucket of positions.
struct PositionTable {
  int64_t count;
  float scale;
  bool shared;    // by all queries: one row
  bool absolute;  // buckets are by the key's position, not by its distance from the query
};
// buckets[i] is the bucket at position or distance first + i; -1: none.
void add_positional_scores(const StepShape& shape, const PositionTable& options,
                           const int32_t* buckets, int64_t first, const float* table,
                           float* scores);
// Bucket i has the positions or distances [ranges[2 * i], ranges[2 * i + 1]). `partial`: scratch
// memory of position_partials() values.
int64_t position_partials(const StepShape& shape, const PositionTable& options);
void sum_weights_by_position(const StepShape& shape, const PositionTable& options,
                             const int32_t* ranges, const float* weights, float* partial,
                             float* sums);

// AttentionSoftmax (backend/attention_steps.h).
struct SoftmaxOptions {
  int64_t window, key_limit;  // -1: none
  const float* center;        // or null
  bool hard;
};
// softmax may be the scores; weights may be null.
void attention_softmax(const StepShape& shape, const SoftmaxOptions& options,
                       const Dropout& dropout, const float* scores, float* softmax, float* weights);
// dscores may be dweights.
void attention_softmax_gradient(const StepShape& shape, const Dropout& dropout,
                                const float* dweights, const float* softmax, float* dscores);

// weight * exp(-(key - center)^2 / (2 sigma^2)); out may be the weights.
void gaussian_weights(const StepShape& shape, double sigma, const float* weights,
                      const float* center, float* out);
struct GaussianOperands {
  const float *dout, *weights, *center;
};
// dweights may be dout.
void gaussian_weights_gradient(const StepShape& shape, double sigma,
                               const GaussianOperands& operands, float* dweights, float* dcenter);

}  // namespace heed::cuda
