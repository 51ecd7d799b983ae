#include "heed/paper.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/train/resolved_options.h"
#include "heed/train/schedule.h"

namespace heed::paper {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 1 GiB: what is larger is more likely a mistake than a matrix to look at.
constexpr int64_t kMaxValues = int64_t{1} << 28;

// A UsageError, before any memory is taken, for a result [rows, columns] that is too large.
void expect_size(const char* name, int64_t rows, int64_t columns) {
  if (columns > 0 && rows > kMaxValues / columns)
    fail_usage("{}: a result [{}, {}] is too large, expected at most {} values", name, rows,
               columns, kMaxValues);
}

// A UsageError unless `tensor` is a float matrix of this many rows and columns; 0 is any number
// of at least 1.
void expect_matrix(const Tensor& tensor, const char* name, int64_t rows, int64_t columns) {
  const auto any = [](int64_t n) { return n == 0 ? std::string("any") : std::to_string(n); };
  const bool fits = tensor && tensor.dtype() == DType::fp32 && tensor.shape().size() == 2 &&
                    tensor.size() > 0 && (rows == 0 || tensor.dim(0) == rows) &&
                    (columns == 0 || tensor.dim(1) == columns);
  if (!fits)
    fail_usage("{}: expected a matrix of floats [{}, {}], got {}", name, any(rows), any(columns),
               tensor ? to_string(tensor.shape()) : "none");
}

// Columns [begin, end) of a matrix.
Tensor columns(const Tensor& x, int64_t begin, int64_t end) {
  Tensor part({x.rows(), end - begin});
  for (int64_t r = 0; r < x.rows(); ++r)
    std::copy_n(x.data<float>() + r * x.columns() + begin, end - begin,
                part.data<float>() + r * (end - begin));
  return part;
}

// Puts `part` into a matrix, its first column at `begin`.
void put_columns(const Tensor& part, int64_t begin, Tensor& x) {
  for (int64_t r = 0; r < x.rows(); ++r)
    std::copy_n(part.data<float>() + r * part.columns(), part.columns(),
                x.data<float>() + r * x.columns() + begin);
}

// In place; a row of nothing but -infinity becomes zeros.
void softmax(std::vector<double>& row) {
  const double top = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (double& x : row) {
    x = top == -kInfinity ? 0 : std::exp(x - top);
    sum += x;
  }
  if (sum == 0) return;
  for (double& x : row) x /= sum;
}

void expect_heads(const Attention& parameters, int64_t heads, int64_t d_model) {
  if (heads < 1 || d_model % heads != 0)
    fail_usage("heads: expected a divisor of d_model {}, got {}", d_model, heads);
  const auto expect_linear = [&](const Linear& linear, const std::string& what) {
    expect_matrix(linear.weight, (what + " weight").c_str(), d_model, d_model);
    const Tensor& bias = linear.bias;
    if (bias && (bias.size() != d_model || bias.dtype() != DType::fp32))
      fail_usage("{} bias: expected {} floats, got {} of {}", what, d_model, bias.size(),
                 name(bias.dtype()));
  };
  expect_linear(parameters.query, "query");
  expect_linear(parameters.key, "key");
  expect_linear(parameters.value, "value");
  expect_linear(parameters.output, "output");
}

}  // namespace

AttentionResult scaled_dot_product_attention(const Tensor& query, const Tensor& key,
                                             const Tensor& value,
                                             const AttentionArguments& arguments) {
  expect_matrix(query, "query", 0, 0);
  const int64_t queries = query.rows(), d_k = query.columns();
  expect_matrix(key, "key", 0, d_k);
  const int64_t keys = key.rows();
  expect_matrix(value, "value", keys, 0);
  const int64_t d_v = value.columns();
  const Tensor& mask = arguments.mask;
  if (mask) expect_matrix(mask, "mask", queries, keys);
  const double scale = arguments.scale.value_or(1 / std::sqrt(double(d_k)));
  expect_size("scaled_dot_product_attention", queries, keys);

  AttentionResult result{Tensor({queries, d_v}), Tensor({queries, keys})};
  std::vector<double> weight(static_cast<size_t>(keys));
  for (int64_t i = 0; i < queries; ++i) {
    for (int64_t j = 0; j < keys; ++j) {
      double dot = 0;
      for (int64_t c = 0; c < d_k; ++c)
        dot += double(query.data<float>()[i * d_k + c]) * double(key.data<float>()[j * d_k + c]);
      weight[size_t(j)] = scale * dot + (mask ? double(mask.data<float>()[i * keys + j]) : 0);
    }
    softmax(weight);
    for (int64_t c = 0; c < d_v; ++c) {
      double sum = 0;
      for (int64_t j = 0; j < keys; ++j)
        sum += weight[size_t(j)] * double(value.data<float>()[j * d_v + c]);
      result.output.data<float>()[i * d_v + c] = float(sum);
    }
    std::copy(weight.begin(), weight.end(), result.weights.data<float>() + i * keys);
  }
  return result;
}

Tensor causal_mask(int64_t queries, int64_t keys) {
  if (queries < 1 || keys < queries)
    fail_usage("causal_mask: expected at least one query and as many keys, got {} and {}", queries,
               keys);
  expect_size("causal_mask", queries, keys);
  Tensor mask({queries, keys});
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = keys - queries + i + 1; j < keys; ++j)
      mask.data<float>()[i * keys + j] = float(-kInfinity);
  return mask;
}

AttentionResult multi_head_attention(const Attention& parameters, int64_t heads, const Tensor& x,
                                     const Tensor& memory, const AttentionArguments& arguments) {
  expect_matrix(x, "x", 0, 0);
  const int64_t d_model = x.columns();
  expect_matrix(memory, "memory", 0, d_model);
  expect_heads(parameters, heads, d_model);

  expect_size("multi_head_attention", heads * x.rows(), memory.rows());

  const auto backend = make_cpu_backend();
  TensorPool pool;
  ForwardPass pass(*backend, pool);
  const Tensor query = linear(pass, x, parameters.query.weight, parameters.query.bias);
  const Tensor key = linear(pass, memory, parameters.key.weight, parameters.key.bias);
  const Tensor value = linear(pass, memory, parameters.value.weight, parameters.value.bias);
  Tensor concatenated({x.rows(), d_model});
  Tensor weights({heads, x.rows(), memory.rows()});
  const int64_t d_head = d_model / heads;
  for (int64_t h = 0; h < heads; ++h) {
    const int64_t begin = h * d_head, end = begin + d_head;
    const AttentionResult head =
        scaled_dot_product_attention(columns(query, begin, end), columns(key, begin, end),
                                     columns(value, begin, end), arguments);
    put_columns(head.output, begin, concatenated);
    std::copy_n(head.weights.data<float>(), head.weights.size(),
                weights.slice(h, h + 1).data<float>());
  }
  return {linear(pass, concatenated, parameters.output.weight, parameters.output.bias), weights};
}

namespace {

Tensor expect_values(const Parameter& parameter) {
  if (!parameter.tensor.has_values())
    fail_usage(
        "attention_of: {} has no values, since the model was loaded for a backend: load it by "
        "load_model(directory)",
        parameter.name);
  return parameter.tensor;
}

}  // namespace

Attention attention_of(Transformer& model, const std::string& name) {
  const std::vector<Parameter> all = parameters(model);
  const auto find = [&](const std::string& part) {
    const std::string wanted = name + "." + part;
    for (const Parameter& p : all)
      if (p.name == wanted) return expect_values(p);
    fail_usage("the model has no attention '{}', expected a name such as encoder.0.self", name);
  };
  const auto find_linear = [&](const std::string& part) {
    return Linear{find(part + ".weight"), find(part + ".bias")};
  };
  return {find_linear("query"), find_linear("key"), find_linear("value"), find_linear("output")};
}

Tensor positional_encoding(int64_t positions, int64_t d_model) {
  if (positions < 0 || d_model < 2 || d_model % 2 != 0)
    fail_usage("positional_encoding: expected an even d_model, got {} positions of width {}",
               positions, d_model);
  expect_size("positional_encoding", positions, d_model);
  return heed::positional_encoding(positions, d_model, DType::fp32);
}

SmoothedCrossEntropy label_smoothed_cross_entropy(const Tensor& logits,
                                                  std::span<const TokenId> labels,
                                                  double smoothing) {
  if (labels.empty()) fail_usage("labels: expected at least one, got none");
  expect_matrix(logits, "logits", int64_t(labels.size()), 0);
  const int64_t rows = logits.rows();
  for (const TokenId label : labels)
    if (label < 0 || label >= logits.columns())
      fail_usage("label: expected 0 to {}, got {}", logits.columns() - 1, label);
  if (!(smoothing >= 0 && smoothing < 1))
    fail_usage("smoothing: expected at least 0 and below 1, got {}", smoothing);
  // The kernel overwrites the logits with the gradient.
  SmoothedCrossEntropy result{Tensor({rows}), Tensor({rows}),
                              tensor_of<float>(logits.shape(), logits.span<float>())};
  Tensor losses({rows, 2});
  make_cpu_backend()->cross_entropy(result.gradient, Indices({labels.begin(), labels.end()}), 0,
                                    {smoothing, 1}, losses);
  for (int64_t r = 0; r < rows; ++r) {
    result.smoothed.data<float>()[r] = losses.data<float>()[2 * r];
    result.nll.data<float>()[r] = losses.data<float>()[2 * r + 1];
  }
  return result;
}

double noam_learning_rate(int64_t step, int64_t d_model, int64_t warmup) {
  if (step < 1 || d_model < 1 || warmup < 1)
    fail_usage(
        "noam_learning_rate: expected step, d_model and warmup of at least 1, got {}, {}, {}", step,
        d_model, warmup);
  TrainOptions options;
  options.schedule = Schedule::noam;
  options.warmup_steps = warmup;
  return learning_rate(with_defaults(options), d_model, step);
}

}  // namespace heed::paper
