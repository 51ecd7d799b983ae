// Attention and the KV cache of the reference backend, in plain loops with sums in double.
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

// The kernels for one element type.
template <class T>
struct AttentionKernels {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  // An element of a tensor of keys or values.
  static double element(const Tensor& x, int64_t i) {
    return x.dtype() == DType::bf16 ? double(float(x.data<Bf16>()[i])) : double(x.data<T>()[i]);
  }

  // One query row and head: the keys that it attends to, and their weights. Offsets are those of
  // the head's first element in a tensor.
  struct Row {
    KeyRange visible = {0, 0};
    int64_t query = 0, out = 0;         // offsets
    std::vector<int64_t> keys, values;  // offsets
    std::vector<double> logits;         // scaled
    std::vector<double> factors;        // dropout's factors
    double logsumexp = 0;

    double weight(size_t j) const { return std::exp(logits[j] - logsumexp); }
  };

  // What is added to a head's scaled score of key j.
  static double bias(const AttentionScores& scores, int64_t head, int64_t j, int64_t position) {
    if (scores.bias == ScoreBias::none) return 0;
    return -alibi_slope(head, scores.heads) * double(std::abs(j - position));
  }

  static Row attend(const AttentionInput& input, const AttentionLayout& layout,
                    const AttentionOptions& options, int64_t b, int64_t r, int64_t h) {
    const AttentionHeads heads(input, options.scores.heads);
    const int64_t i = r - layout.queries.offsets[size_t(b)], shared = h / heads.group;
    Row row;
    row.visible = layout.visible(b, i, options.scores.window);
    row.query = (r * heads.count + h) * heads.d_key;
    row.out = (r * heads.count + h) * heads.d_value;
    double top = -kInfinity;
    for (int64_t j = row.visible.begin; j < row.visible.end; ++j) {
      const int64_t key = layout.keys.row(layout.keys.lengths.offsets[size_t(b)] + j);
      row.keys.push_back((key * heads.key_value + shared) * heads.d_key);
      row.values.push_back((key * heads.key_value + shared) * heads.d_value);
      double dot = 0;
      for (int64_t c = 0; c < heads.d_key; ++c)
        dot +=
            double(input.query.data<T>()[row.query + c]) * element(input.key, row.keys.back() + c);
      row.logits.push_back(dot * options.scores.scale +
                           bias(options.scores, h, j, layout.position(b, i)));
      row.factors.push_back(dropout_factor(options.dropout, options.dropout_index(r, h) + j));
      top = std::max(top, row.logits.back());
    }
    double sum = 0;
    for (double logit : row.logits) sum += std::exp(logit - top);
    row.logsumexp = row.logits.empty() ? -kInfinity : top + std::log(sum);
    return row;
  }

  // Calls f(b, r, h) for every sequence, query row and head.
  template <class F>
  static void each_row(const AttentionLayout& layout, const AttentionOptions& options, F&& f) {
    for (int64_t b = 0; b < layout.queries.count(); ++b)
      for (int64_t i = 0; i < layout.queries.length(b); ++i)
        for (int64_t h = 0; h < options.scores.heads; ++h)
          f(b, layout.queries.offsets[size_t(b)] + i, h);
  }

  static void attention(const AttentionInput& input, const AttentionLayout& layout,
                        const AttentionOptions& options, const AttentionOutput& output) {
    const AttentionHeads heads(input, options.scores.heads);
    each_row(layout, options, [&](int64_t b, int64_t r, int64_t h) {
      const Row row = attend(input, layout, options, b, r, h);
      output.logsumexp.data<T>()[r * heads.count + h] = T(row.logsumexp);
      for (int64_t c = 0; c < heads.d_value; ++c) {
        double sum = 0;
        for (size_t j = 0; j < row.values.size(); ++j)
          sum += row.weight(j) * row.factors[j] * element(input.value, row.values[j] + c);
        output.out.data<T>()[row.out + c] = T(sum);
      }
    });
    if (output.weights) put_weights(input, layout, options, *output.weights);
  }

  static void put_weights(const AttentionInput& input, const AttentionLayout& layout,
                          const AttentionOptions& options, Tensor& weights) {
    T* next = weights.data<T>();
    for (int64_t b = 0; b < layout.queries.count(); ++b) {
      const int64_t keys = layout.keys.lengths.length(b);
      for (int64_t h = 0; h < options.scores.heads; ++h) {
        for (int64_t i = 0; i < layout.queries.length(b); ++i, next += keys) {
          const Row row =
              attend(input, layout, options, b, layout.queries.offsets[size_t(b)] + i, h);
          std::fill_n(next, keys, T(0));
          for (size_t j = 0; j < row.keys.size(); ++j)
            next[row.visible.begin + int64_t(j)] = T(row.weight(j) * row.factors[j]);
        }
      }
    }
  }

  static void attention_gradient(const Tensor& dout, const AttentionInput& input,
                                 const AttentionLayout& layout, const AttentionOptions& options,
                                 const AttentionForward& /*forward*/,
                                 const AttentionGradient& gradient) {
    const AttentionHeads heads(input, options.scores.heads);
    for (Tensor* tensor : {&gradient.dquery, &gradient.dkey, &gradient.dvalue}) fill_zeros(*tensor);
    each_row(layout, options, [&](int64_t b, int64_t r, int64_t h) {
      const Row row = attend(input, layout, options, b, r, h);
      const T* dout_row = dout.data<T>() + row.out;
      const T* q = input.query.data<T>() + row.query;
      std::vector<double> weight(row.keys.size()), dweight(row.keys.size());
      double total = 0;
      for (size_t j = 0; j < row.keys.size(); ++j) {
        const T* value = input.value.data<T>() + row.values[j];
        weight[j] = row.weight(j);
        for (int64_t c = 0; c < heads.d_value; ++c)
          dweight[j] += double(dout_row[c]) * double(value[c]) * row.factors[j];
        total += weight[j] * dweight[j];
      }
      for (size_t j = 0; j < row.keys.size(); ++j) {
        const double dlogit = weight[j] * (dweight[j] - total) * options.scores.scale;
        for (int64_t c = 0; c < heads.d_key; ++c) {
          gradient.dquery.data<T>()[row.query + c] +=
              T(dlogit * double(input.key.data<T>()[row.keys[j] + c]));
          gradient.dkey.data<T>()[row.keys[j] + c] += T(dlogit * double(q[c]));
        }
        for (int64_t c = 0; c < heads.d_value; ++c)
          gradient.dvalue.data<T>()[row.values[j] + c] +=
              T(weight[j] * row.factors[j] * double(dout_row[c]));
      }
    });
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
