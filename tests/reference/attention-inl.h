// Attention of the reference backend, in steps, and the KV cache: in plain loops with sums in
// double.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/backend/backend.h"
#include "heed/backend/quantize.h"

namespace heed::reference {

// The factor by which dropout multiplies element `index`.
inline double dropout_factor(const Dropout& dropout, int64_t index) {
  if (!dropout) return 1;
  return dropout.bits(uint64_t(index)) >= dropout.threshold() ? dropout.scale() : 0;
}

// The results of the steps of the kernel that does all of them.
struct SoftmaxSteps {
  Tensor scores, softmax, after_dropout;
};

template <class T>
struct AttentionKernelsOf {
  // One query under one head.
  struct Row {
    int64_t sequence, row, head;  // row of the query tensor
    int64_t first;                // index of its scores
    int64_t keys, visible;        // of the sequence, and those that it sees
    int64_t position;
  };

  // Calls f(row) for each.
  template <class F>
  static void each_row(const AttentionLayout& layout, int64_t heads, F&& f) {
    int64_t first = 0;
    for (int64_t b = 0; b < layout.queries.count(); ++b) {
      const int64_t keys = layout.keys.lengths.length(b);
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t i = 0; i < layout.queries.length(b); ++i, first += keys)
          f(Row{b, layout.queries.offsets[size_t(b)] + i, h, first, keys, layout.visible_keys(b, i),
                layout.position(b, i)});
    }
  }

  // The index in `tensor` of the first element of key j for row.head, one of `heads`, each of which
  // has `columns` columns.
  static int64_t element_of(const Tensor& tensor, const AttentionLayout& layout, const Row& row,
                            int64_t heads, int64_t columns, int64_t j) {
    const int64_t group = heads / (tensor.columns() / columns);
    const int64_t key = layout.keys.row(layout.keys.lengths.offsets[size_t(row.sequence)] + j);
    return key * tensor.columns() + row.head / group * columns;
  }
  // The elements of a tensor of keys or values, which a cache may hold in bf16.
  struct Elements {
    explicit Elements(const Tensor& x)
        : rounded(x.dtype() == DType::bf16 ? x.data<Bf16>() : nullptr),
          exact(rounded ? nullptr : x.data<T>()) {}
    double operator[](int64_t i) const {
      return rounded ? double(float(rounded[i])) : double(exact[i]);
    }
    const Bf16* rounded;
    const T* exact;
  };

  // Writes f(row, j) for each key that a query sees, and 0 for the others.
  template <class F>
  static void fill(const AttentionLayout& layout, int64_t heads, Tensor& out, F&& f) {
    each_row(layout, heads, [&](const Row& row) {
      for (int64_t j = 0; j < row.keys; ++j)
        out.data<T>()[row.first + j] = j < row.visible ? T(f(row, j)) : T(0);
    });
  }

  // f(row, j, index of the query's first element, index of the key's).
  template <class F>
  static void each_pair(const ScoreOperands& o, const AttentionLayout& layout, int64_t heads,
                        F&& f) {
    const int64_t d = o.query.columns() / heads;
    each_row(layout, heads, [&](const Row& row) {
      for (int64_t j = 0; j < row.visible; ++j)
        f(row, j, (row.row * heads + row.head) * d, element_of(o.key, layout, row, heads, d, j));
    });
  }

  static void scaled_scores(const ScoreOperands& o, const AttentionLayout& layout,
                            const ScaledScores& options, Tensor& scores) {
    const int64_t d = o.query.columns() / options.heads;
    const T* query = o.query.data<T>();
    const Elements key(o.key);
    fill_zeros(scores);
    each_pair(o, layout, options.heads, [&](const Row& row, int64_t j, int64_t q, int64_t k) {
      double sum = 0;
      for (int64_t c = 0; c < d; ++c) sum += double(query[q + c]) * key[k + c];
      scores.data<T>()[row.first + j] = T(options.scale * sum);
    });
  }

  static void scaled_scores_gradient(const Tensor& dscores, const ScoreOperands& o,
                                     const AttentionLayout& layout, const ScaledScores& options,
                                     const ScoreGradient& gradient) {
    const int64_t d = o.query.columns() / options.heads;
    for (Tensor* tensor : {&gradient.dquery, &gradient.dkey}) fill_zeros(*tensor);
    const T *query = o.query.data<T>(), *key = o.key.data<T>();
    T *dquery = gradient.dquery.data<T>(), *dkey = gradient.dkey.data<T>();
    each_pair(o, layout, options.heads, [&](const Row& row, int64_t j, int64_t q, int64_t k) {
      const double dscore = options.scale * double(dscores.data<T>()[row.first + j]);
      for (int64_t c = 0; c < d; ++c) {
        dquery[q + c] += T(dscore * double(key[k + c]));
        dkey[k + c] += T(dscore * double(query[q + c]));
      }
    });
  }

  static void additive_scores(const ScoreOperands& o, const Tensor& v,
                              const AttentionLayout& layout, int64_t heads, Tensor& scores) {
    const int64_t d = o.query.columns() / heads;
    const T *query = o.query.data<T>(), *weights = v.data<T>();
    const Elements key(o.key);
    fill_zeros(scores);
    each_pair(o, layout, heads, [&](const Row& row, int64_t j, int64_t q, int64_t k) {
      double sum = 0;
      for (int64_t c = 0; c < d; ++c)
        sum += double(weights[row.head * d + c]) * std::tanh(double(query[q + c]) + key[k + c]);
      scores.data<T>()[row.first + j] = T(sum);
    });
  }

  static void additive_scores_gradient(const Tensor& dscores, const ScoreOperands& o,
                                       const Tensor& v, const AttentionLayout& layout,
                                       int64_t heads, const ScoreGradient& gradient, Tensor& dv) {
    const int64_t d = o.query.columns() / heads;
    for (Tensor* tensor : {&gradient.dquery, &gradient.dkey}) fill_zeros(*tensor);
    const T *query = o.query.data<T>(), *key = o.key.data<T>(), *weights = v.data<T>();
    T *dquery = gradient.dquery.data<T>(), *dkey = gradient.dkey.data<T>(),
      *dweights = dv.data<T>();
    each_pair(o, layout, heads, [&](const Row& row, int64_t j, int64_t q, int64_t k) {
      const double dscore = double(dscores.data<T>()[row.first + j]);
      for (int64_t c = 0; c < d; ++c) {
        const double t = std::tanh(double(query[q + c]) + double(key[k + c]));
        const double dsum = dscore * double(weights[row.head * d + c]) * (1 - t * t);
        dquery[q + c] += T(dsum);
        dkey[k + c] += T(dsum);
        dweights[row.head * d + c] += T(dscore * t);
      }
    });
  }

  // Calls f(index of a score, index of its entry of `table`) for each visible key with a bucket.
  template <class F>
  static void each_entry(const Tensor& table, const AttentionLayout& layout,
                         const PositionalScores& options, F&& f) {
    const bool shared = table.rows() == 1;
    each_row(layout, options.heads, [&](const Row& row) {
      for (int64_t j = 0; j < row.visible; ++j) {
        const int64_t bucket = options.buckets.of(row.position, j);
        if (bucket < 0) continue;
        const int64_t table_row = shared ? 0 : row.row;
        f(row.first + j, (table_row * options.heads + row.head) * options.buckets.count + bucket);
      }
    });
  }

  static void add_positional_scores(const Tensor& table, const AttentionLayout& layout,
                                    const PositionalScores& options, Tensor& scores) {
    each_entry(table, layout, options, [&](int64_t score, int64_t entry) {
      scores.data<T>()[score] += T(options.scale * double(table.data<T>()[entry]));
    });
  }
  static void sum_weights_by_position(const Tensor& weights, const AttentionLayout& layout,
                                      const PositionalScores& options, Tensor& sums) {
    each_entry(sums, layout, options, [&](int64_t weight, int64_t entry) {
      sums.data<T>()[entry] += T(options.scale * double(weights.data<T>()[weight]));
    });
  }

  static bool is_attended(const AttentionSoftmax& options, const Row& row, int64_t j) {
    if (j >= row.visible || (options.key_limit && j >= *options.key_limit)) return false;
    if (!options.window) return true;
    const double center =
        options.center ? double(options.center->data<T>()[row.row * options.heads + row.head])
                       : double(row.position);
    return std::abs(double(j) - center) <= double(*options.window);
  }
  static double factor(const Dropout& dropout, int64_t heads, const Row& row, int64_t j) {
    return dropout_factor(dropout, weight_dropout_index(row.row, row.head, heads) + j);
  }

  static void attention_softmax(const Tensor& scores, const AttentionLayout& layout,
                                const AttentionSoftmax& options, const Dropout& dropout,
                                const SoftmaxOutput& result) {
    each_row(layout, options.heads, [&](const Row& row) {
      const T* from = scores.data<T>() + row.first;
      int64_t best = -1;
      for (int64_t j = 0; j < row.keys; ++j)
        if (is_attended(options, row, j) && (best < 0 || from[j] > from[best])) best = j;
      std::vector<double> terms(size_t(row.keys), 0);
      double sum = 0;
      for (int64_t j = 0; j < row.keys; ++j)
        if (is_attended(options, row, j))
          sum += terms[size_t(j)] = std::exp(double(from[j]) - double(from[best]));
      for (int64_t j = 0; j < row.keys; ++j) {
        // NaN if a score is NaN, which is passed on.
        const double weight = is_attended(options, row, j) ? terms[size_t(j)] / sum : 0;
        result.softmax.data<T>()[row.first + j] = T(weight);
        if (!result.weights) continue;
        const bool hard = options.choice == AttentionSoftmax::Choice::hard;
        result.weights->data<T>()[row.first + j] =
            T((hard ? double(j == best) : weight) * factor(dropout, options.heads, row, j));
      }
    });
  }

  static void attention_softmax_gradient(const Tensor& dweights, const Tensor& softmax,
                                         const AttentionLayout& layout, int64_t heads,
                                         const Dropout& dropout, Tensor& dscores) {
    each_row(layout, heads, [&](const Row& row) {
      const auto dweight = [&](int64_t j) {
        return factor(dropout, heads, row, j) * double(dweights.data<T>()[row.first + j]);
      };
      const T* weight = softmax.data<T>() + row.first;
      double total = 0;
      for (int64_t j = 0; j < row.visible; ++j) total += double(weight[j]) * dweight(j);
      for (int64_t j = 0; j < row.keys; ++j)
        dscores.data<T>()[row.first + j] =
            j < row.visible ? T(double(weight[j]) * (dweight(j) - total)) : T(0);
    });
  }

  // The distance of key j from the center, and its factor.
  static std::pair<double, double> gaussian(const Tensor& center, const GaussianWeights& options,
                                            const Row& row, int64_t j) {
    const double distance =
        double(j) - double(center.data<T>()[row.row * options.heads + row.head]);
    return {distance, std::exp(-distance * distance / (2 * options.sigma * options.sigma))};
  }
  static void gaussian_weights(const Tensor& weights, const Tensor& center,
                               const AttentionLayout& layout, const GaussianWeights& options,
                               Tensor& out) {
    fill(layout, options.heads, out, [&](const Row& row, int64_t j) {
      return double(weights.data<T>()[row.first + j]) * gaussian(center, options, row, j).second;
    });
  }
  static void gaussian_weights_gradient(const Tensor& dout, const Tensor& weights,
                                        const Tensor& center, const AttentionLayout& layout,
                                        const GaussianWeights& options,
                                        const GaussianGradient& gradient) {
    fill_zeros(gradient.dcenter);
    fill(layout, options.heads, gradient.dweights, [&](const Row& row, int64_t j) {
      const auto [distance, factor] = gaussian(center, options, row, j);
      const double dweight = double(dout.data<T>()[row.first + j]) * factor;
      gradient.dcenter.data<T>()[row.row * options.heads + row.head] +=
          T(dweight * double(weights.data<T>()[row.first + j]) * distance /
            (options.sigma * options.sigma));
      return dweight;
    });
  }

  static void weighted_sum(const Tensor& weights, const Tensor& value,
                           const AttentionLayout& layout, int64_t heads, Tensor& out) {
    const int64_t d = out.columns() / heads;
    const Elements values(value);
    std::vector<double> sums;
    each_row(layout, heads, [&](const Row& row) {
      const T* weight = weights.data<T>() + row.first;
      sums.assign(size_t(d), 0);
      for (int64_t j = 0; j < row.visible; ++j) {
        const int64_t at = element_of(value, layout, row, heads, d, j);
        for (int64_t c = 0; c < d; ++c) sums[size_t(c)] += double(weight[j]) * values[at + c];
      }
      T* to = out.data<T>() + (row.row * heads + row.head) * d;
      for (int64_t c = 0; c < d; ++c) to[c] = T(sums[size_t(c)]);
    });
  }
  static void weighted_sum_gradient(const Tensor& dout, const Tensor& weights, const Tensor& value,
                                    const AttentionLayout& layout, int64_t heads,
                                    const WeightedSumGradient& gradient) {
    const int64_t d = dout.columns() / heads;
    fill_zeros(gradient.dvalue);
    const T* values = value.data<T>();
    T* dvalues = gradient.dvalue.data<T>();
    fill(layout, heads, gradient.dweights, [&](const Row& row, int64_t j) {
      const T* dout_row = dout.data<T>() + (row.row * heads + row.head) * d;
      const int64_t at = element_of(value, layout, row, heads, d, j);
      const double weight = double(weights.data<T>()[row.first + j]);
      double sum = 0;
      for (int64_t c = 0; c < d; ++c) {
        sum += double(dout_row[c]) * double(values[at + c]);
        dvalues[at + c] += T(weight * double(dout_row[c]));
      }
      return sum;
    });
  }

  static SoftmaxSteps weights_of(const AttentionInput& input, const AttentionLayout& layout,
                                 const AttentionOptions& options) {
    const AttentionScores& wanted = options.scores;
    const auto pairs = [&] {
      return Tensor({attention_weight_count(layout, wanted.heads)}, dtype_of<T>());
    };
    SoftmaxSteps w{pairs(), pairs(), pairs()};
    scaled_scores({input.query, input.key}, layout, {wanted.heads, wanted.scale}, w.scores);
    if (wanted.bias == ScoreBias::alibi)
      each_row(layout, wanted.heads, [&](const Row& row) {
        const double slope = alibi_slope(row.head, wanted.heads);
        for (int64_t j = 0; j < row.visible; ++j)
          w.scores.data<T>()[row.first + j] -= T(slope * double(std::abs(j - row.position)));
      });
    attention_softmax(w.scores, layout, {.heads = wanted.heads, .window = wanted.window},
                      options.dropout, {w.softmax, &w.after_dropout});
    return w;
  }

  static void attention(const AttentionInput& input, const AttentionLayout& layout,
                        const AttentionOptions& options, const AttentionOutput& output) {
    const int64_t heads = options.scores.heads;
    const SoftmaxSteps w = weights_of(input, layout, options);
    weighted_sum(w.after_dropout, input.value, layout, heads, output.out);
    if (output.weights) copy(w.after_dropout, *output.weights);
    const AttentionSoftmax taken{.heads = heads, .window = options.scores.window};
    each_row(layout, heads, [&](const Row& row) {
      double sum = 0, top = -std::numeric_limits<double>::infinity();
      const T* scores = w.scores.data<T>() + row.first;
      for (int64_t j = 0; j < row.visible; ++j)
        if (is_attended(taken, row, j)) top = std::max(top, double(scores[j]));
      for (int64_t j = 0; j < row.visible; ++j)
        if (is_attended(taken, row, j)) sum += std::exp(double(scores[j]) - top);
      output.logsumexp.data<T>()[row.row * heads + row.head] = T(top + std::log(sum));
    });
  }

  static void attention_gradient(const Tensor& dout, const AttentionInput& input,
                                 const AttentionLayout& layout, const AttentionOptions& options,
                                 const AttentionForward& /*forward*/,
                                 const AttentionGradient& gradient) {
    const int64_t heads = options.scores.heads;
    const SoftmaxSteps w = weights_of(input, layout, options);
    Tensor dweights(w.scores.shape(), dtype_of<T>()), dscores(w.scores.shape(), dtype_of<T>());
    weighted_sum_gradient(dout, w.after_dropout, input.value, layout, heads,
                          {dweights, gradient.dvalue});
    attention_softmax_gradient(dweights, w.softmax, layout, heads, options.dropout, dscores);
    scaled_scores_gradient(dscores, {input.query, input.key}, layout, {heads, options.scores.scale},
                           {gradient.dquery, gradient.dkey});
  }

  static void write_cache(const Tensor& x, const Indices& rows, Tensor& cache) {
    const int64_t columns = x.columns();
    for (size_t i = 0; i < rows.size(); ++i) {
      for (int64_t c = 0; c < columns; ++c) {
        const T element = x.data<T>()[int64_t(i) * columns + c];
        const int64_t at = rows[i] * columns + c;
        if (cache.dtype() == DType::bf16)
          cache.data<Bf16>()[at] = bf16_of(float(element));
        else
          cache.data<T>()[at] = element;
      }
    }
  }
};

}  // namespace heed::reference
