// Shared by the source files of heed::paper.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/paper.h"

namespace heed::paper {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 1 GiB: what is larger is more likely a mistake than a matrix to look at.
inline constexpr int64_t kMaxValues = int64_t{1} << 28;

// A UsageError, before any memory is taken, for a result [rows, columns] that is too large.
inline void expect_size(const char* name, int64_t rows, int64_t columns) {
  if (columns > 0 && rows > kMaxValues / columns)
    fail_usage("{}: a result [{}, {}] is too large, expected at most {} values", name, rows,
               columns, kMaxValues);
}

// A UsageError unless `tensor` is a float matrix of this many rows and columns; 0 is any number
// of at least 1.
inline void expect_matrix(const Tensor& tensor, const char* name, int64_t rows, int64_t columns) {
  const auto any = [](int64_t n) { return n == 0 ? std::string("any") : std::to_string(n); };
  const bool fits = tensor && tensor.dtype() == DType::fp32 && tensor.shape().size() == 2 &&
                    tensor.size() > 0 && (rows == 0 || tensor.dim(0) == rows) &&
                    (columns == 0 || tensor.dim(1) == columns);
  if (!fits)
    fail_usage("{}: expected a matrix of floats [{}, {}], got {}", name, any(rows), any(columns),
               tensor ? to_string(tensor.shape()) : "none");
}

inline void expect_vector(const Tensor& tensor, const std::string& what, int64_t size) {
  if (!tensor || tensor.size() != size || tensor.dtype() != DType::fp32)
    fail_usage("{}: expected {} floats, got {}", what, size,
               tensor ? fmt::format("{} of {}", tensor.size(), name(tensor.dtype())) : "none");
}

// Its bias may be none.
inline void expect_linear(const Linear& linear, const std::string& what, int64_t out, int64_t in) {
  expect_matrix(linear.weight, (what + " weight").c_str(), out, in);
  if (linear.bias) expect_vector(linear.bias, what + " bias", linear.weight.rows());
}

// Whose result outlives it.
struct CpuPass {
  std::unique_ptr<Backend> backend = make_cpu_backend();
  TensorPool pool = TensorPool();
  ForwardPass pass = ForwardPass(*backend, pool);
};

// In place; a row of nothing but -infinity becomes zeros.
inline void softmax(std::vector<double>& row) {
  const double top = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (double& x : row) {
    x = top == -kInfinity ? 0 : std::exp(x - top);
    sum += x;
  }
  if (sum == 0) return;
  for (double& x : row) x /= sum;
}

// softmax(score + mask) V with score(i, j) of query i and key j; mask [queries, keys] may be empty.
template <class Score>
AttentionResult attend_by(int64_t queries, const Tensor& value, const Tensor& mask,
                          const Score& score) {
  const int64_t keys = value.rows(), d_value = value.columns();
  AttentionResult result{Tensor({queries, d_value}), Tensor({queries, keys})};
  std::vector<double> weight(static_cast<size_t>(keys));
  for (int64_t i = 0; i < queries; ++i) {
    for (int64_t j = 0; j < keys; ++j)
      weight[size_t(j)] = score(i, j) + (mask ? double(mask.data<float>()[i * keys + j]) : 0);
    softmax(weight);
    for (int64_t c = 0; c < d_value; ++c) {
      double sum = 0;
      for (int64_t j = 0; j < keys; ++j)
        sum += weight[size_t(j)] * double(value.data<float>()[j * d_value + c]);
      result.output.data<float>()[i * d_value + c] = float(sum);
    }
    std::copy(weight.begin(), weight.end(), result.weights.data<float>() + i * keys);
  }
  return result;
}

}  // namespace heed::paper
