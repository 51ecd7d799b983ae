#include "heed/paper.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/paper_shared-inl.h"
#include "heed/paper_variants.h"
#include "heed/train/schedule.h"

namespace heed::paper {

AttentionResult scaled_dot_product_attention(const Tensor& query, const Tensor& key,
                                             const Tensor& value,
                                             const AttentionArguments& arguments) {
  expect_matrix(query, "query", 0, 0);
  const int64_t queries = query.rows(), d_k = query.columns();
  expect_matrix(key, "key", 0, d_k);
  const int64_t keys = key.rows();
  expect_matrix(value, "value", keys, 0);
  const Tensor& mask = arguments.mask;
  if (mask) expect_matrix(mask, "mask", queries, keys);
  const double scale = arguments.scale.value_or(1 / std::sqrt(double(d_k)));
  expect_size("scaled_dot_product_attention", queries, keys);

  return attend_by(queries, value, mask, [&](int64_t i, int64_t j) {
    double dot = 0;
    for (int64_t c = 0; c < d_k; ++c)
      dot += double(query.data<float>()[i * d_k + c]) * double(key.data<float>()[j * d_k + c]);
    return scale * dot;
  });
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
  expect_linear(parameters.query, "query", 0, d_model);
  expect_linear(parameters.key, "key", 0, d_model);
  expect_linear(parameters.value, "value", 0, d_model);

  CpuPass cpu;
  const auto apply = [&](const Linear& w, const Tensor& input) {
    return linear(cpu.pass, input, w.weight, w.bias);
  };
  const AttentionResult seen =
      grouped_query_attention(heads, apply(parameters.query, x), apply(parameters.key, memory),
                              apply(parameters.value, memory), arguments);
  expect_linear(parameters.output, "output", 0, seen.output.columns());
  return {apply(parameters.output, seen.output), seen.weights};
}

Attention attention_of(SequenceModel& model, const std::string& name) {
  const std::vector<Parameter> all = parameters(model);
  const auto find = [&](const std::string& part) {
    const std::string wanted = name + "." + part;
    for (const Parameter& p : all) {
      if (p.name != wanted) continue;
      if (p.tensor.has_values()) return p.tensor;
      fail_usage(
          "attention_of: {} has no values, since the model was loaded for a backend: load it by "
          "load_model(directory)",
          p.name);
    }
    if (part == "query.weight" && std::any_of(all.begin(), all.end(), [&](const Parameter& p) {
          return p.name == name + ".location.weight";
        }))
      fail_usage("{} is attention by location, which has no query and key", name);
    fail_usage("the model has no attention '{}', expected a name such as encoder.0.self", name);
  };
  const auto find_linear = [&](const std::string& part) {
    return Linear{find(part + ".weight"), find(part + ".bias")};
  };
  const Linear query = find_linear("query");
  const bool shared = model.config().variants.share_query_key;
  return {.query = query,
          .key = shared ? query : find_linear("key"),
          .value = find_linear("value"),
          .output = find_linear("output")};
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
  return learning_rate({.warmup_steps = warmup, .d_model = d_model}, step);
}

}  // namespace heed::paper
