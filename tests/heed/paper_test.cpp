#include "heed/paper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/train/schedule.h"
#include "support/facts.h"
#include "support/folder_test.h"
#include "support/goldens.h"
#include "support/small_model.h"

namespace heed {
namespace {

using testing::expect_near;
using testing::Json;
using testing::matrix;

Json goldens(const std::string& group) {
  return testing::goldens("/heed/data/paper.json", group);
}

paper::AttentionArguments arguments_of(const Json& golden) {
  paper::AttentionArguments arguments;
  if (golden.contains("mask")) arguments.mask = matrix(golden["mask"]);
  if (golden.contains("scale")) arguments.scale = golden["scale"].get<double>();
  return arguments;
}

Tensor drawn(const Shape& shape, uint64_t seed) {
  Random random(seed);
  Tensor tensor(shape);
  for (float& value : tensor.span<float>()) value = float(random.normal());
  return tensor;
}

TEST(PaperAttention, EqualsPyTorch) {
  const Json all = goldens("attention");
  ASSERT_GE(all.size(), 24u);
  for (const Json& golden : all) {
    SCOPED_TRACE(golden.dump());
    const paper::AttentionResult got =
        paper::scaled_dot_product_attention(matrix(golden["query"]), matrix(golden["key"]),
                                            matrix(golden["value"]), arguments_of(golden));
    expect_near(got.output, matrix(golden["context"]));
    expect_near(got.weights, matrix(golden["weights"]));
  }
}

TEST(PaperAttention, EqualsTheOpThatTheModelUses) {
  const auto backend = make_cpu_backend();
  TensorPool pool;
  ForwardPass pass(*backend, pool);
  const int64_t d = 12;
  for (const Mask mask : {Mask::none, Mask::causal}) {
    for (const auto& [queries, keys] : {std::pair<int64_t, int64_t>{1, 1}, {5, 5}, {3, 9}}) {
      const Tensor query = drawn({queries, d}, 1), key = drawn({keys, d}, 2),
                   value = drawn({keys, d}, 3);
      Ragged query_rows;
      query_rows.add(queries);
      KeyRows key_rows;
      key_rows.lengths.add(keys);
      const Tensor expected = attention(pass, {query, key, value}, {query_rows, key_rows, mask},
                                        {1, 1 / std::sqrt(double(d))});
      paper::AttentionArguments arguments;
      if (mask == Mask::causal) arguments.mask = paper::causal_mask(queries, keys);
      expect_near(paper::scaled_dot_product_attention(query, key, value, arguments).output,
                  expected);
    }
  }
}

TEST(PaperAttention, AQueryThatSeesNothingGivesNothing) {
  Tensor mask({2, 3});
  for (int64_t j = 0; j < 3; ++j) mask.data<float>()[j] = -std::numeric_limits<float>::infinity();
  const paper::AttentionResult got = paper::scaled_dot_product_attention(
      drawn({2, 4}, 1), drawn({3, 4}, 2), drawn({3, 5}, 3), {mask, {}});
  EXPECT_THAT(got.weights.slice(0, 1).span<float>(), ::testing::Each(0));
  EXPECT_THAT(got.output.slice(0, 1).span<float>(), ::testing::Each(0));
  EXPECT_THAT(got.output.slice(1, 2).span<float>(), ::testing::Each(::testing::Ne(0)));
}

// PyTorch's layout of the three projections, as heed has it.
Attention attention_parameters(const Json& golden) {
  const Tensor weight = matrix(golden["in_weight"]);
  const Json& in_bias = golden["in_bias"];
  const Tensor bias = matrix(in_bias);
  const int64_t d = weight.columns();
  return {{weight.slice(0, d), bias.slice(0, d)},
          {weight.slice(d, 2 * d), bias.slice(d, 2 * d)},
          {weight.slice(2 * d, 3 * d), bias.slice(2 * d, 3 * d)},
          {matrix(golden["out_weight"]), matrix(golden["out_bias"])}};
}

TEST(PaperMultiHeadAttention, EqualsPyTorch) {
  const Json all = goldens("multi_head");
  ASSERT_GE(all.size(), 6u);
  for (const Json& golden : all) {
    SCOPED_TRACE(golden.dump());
    const paper::AttentionResult got = paper::multi_head_attention(
        attention_parameters(golden), golden["heads"], matrix(golden["x"]),
        matrix(golden["memory"]), arguments_of(golden));
    expect_near(got.output, matrix(golden["context"]), 3e-5);
    expect_near(got.weights, matrix(golden["weights"]));
  }
}

TEST(PaperMultiHeadAttention, EqualsTheModelsOwn) {
  const ModelConfig config = testing::small_config(11);
  SequenceModel model(config);
  model.initialize(7);
  const Attention parameters = paper::attention_of(model, "decoder.1.cross");
  const Tensor x = drawn({3, config.d_model}, 1), memory = drawn({5, config.d_model}, 2);
  const auto backend = make_cpu_backend();
  TensorPool pool;
  ForwardPass pass(*backend, pool);
  Ragged rows;
  rows.add(3);
  KeyRows keys;
  keys.lengths.add(5);
  const Tensor query = linear(pass, x, parameters.query.weight, parameters.query.bias);
  const Tensor key = linear(pass, memory, parameters.key.weight, parameters.key.bias);
  const Tensor value = linear(pass, memory, parameters.value.weight, parameters.value.bias);
  const Tensor seen =
      attention(pass, {query, key, value}, {rows, keys},
                {config.heads, std::sqrt(double(config.heads) / double(config.d_model))});
  expect_near(paper::multi_head_attention(parameters, config.heads, x, memory).output,
              linear(pass, seen, parameters.output.weight, parameters.output.bias));
  EXPECT_THAT(error_of([&] { paper::attention_of(model, "decoder.2.cross"); }),
              ::testing::HasSubstr("no attention 'decoder.2.cross'"));
}

TEST(PaperMultiHeadAttention, TakesTheWidthsOfHeadsFromTheWeights) {
  ModelConfig grouped = testing::small_config(11), shared = grouped;
  grouped.variants.key_value_heads = 1;
  grouped.variants.d_key = 3;
  grouped.variants.d_value = 5;
  shared.variants.share_query_key = true;
  const auto backend = make_cpu_backend();
  TensorPool pool;
  ForwardPass pass(*backend, pool);
  for (const ModelConfig& config : {grouped, shared}) {
    SequenceModel model(config);
    model.initialize(7);
    const Attention w = paper::attention_of(model, "encoder.0.self");
    const Tensor x = drawn({4, config.d_model}, 1);
    Ragged rows;
    rows.add(4);
    const KeyRows keys{rows, {}};
    const AttentionMethod method = attention_method(config, AttentionSite::encoder_self);
    const Indices positions = {0, 1, 2, 3};
    const KeyValue projected = project_key_value(pass, w, method, x, x, positions);
    const AttentionLayout layout{rows, keys, Mask::none, &positions};
    expect_near(paper::multi_head_attention(w, config.heads, x, x).output,
                attend(pass, w, method, {x, projected, layout}, {}));
  }
}

TEST(PaperPositionalEncoding, EqualsPyTorch) {
  for (const Json& golden : goldens("positional_encoding")) {
    const Tensor expected = matrix(golden);
    expect_near(paper::positional_encoding(expected.rows(), expected.columns()), expected, 1e-6);
  }
}

TEST(PaperCrossEntropy, EqualsPyTorch) {
  const Json all = goldens("cross_entropy");
  ASSERT_GE(all.size(), 4u);
  for (const Json& golden : all) {
    SCOPED_TRACE(golden.dump());
    const auto labels = golden["labels"].get<std::vector<TokenId>>();
    const auto got =
        paper::label_smoothed_cross_entropy(matrix(golden["logits"]), labels, golden["smoothing"]);
    expect_near(got.smoothed, matrix(golden["smoothed"]));
    expect_near(got.nll, matrix(golden["plain"]));
    expect_near(got.gradient, matrix(golden["gradient"]), 1e-6);
  }
}

TEST(PaperNoam, EqualsPyTorchsScheduler) {
  const Json all = goldens("noam");
  ASSERT_GE(all.size(), 18u);
  for (const Json& golden : all) {
    const double rate = golden["rate"];
    EXPECT_NEAR(paper::noam_learning_rate(golden["step"], golden["d_model"], golden["warmup"]),
                rate, 1e-10 * rate)
        << golden;
  }
}

TEST(Paper, ShapesThatDoNotFitAreNamed) {
  const Tensor x = drawn({2, 4}, 1), y = drawn({3, 4}, 2), z = drawn({3, 5}, 3);
  const auto attend = [&](const Tensor& query, const Tensor& key, const Tensor& value,
                          const Tensor& mask) {
    return error_of([&] { paper::scaled_dot_product_attention(query, key, value, {mask, {}}); });
  };
  EXPECT_EQ(attend(x, z, y, {}), "key: expected a matrix of floats [any, 4], got [3, 5]");
  EXPECT_EQ(attend(x, y, x, {}), "value: expected a matrix of floats [3, any], got [2, 4]");
  EXPECT_EQ(attend(x, y, z, y), "mask: expected a matrix of floats [2, 3], got [3, 4]");
  EXPECT_EQ(attend({}, y, z, y), "query: expected a matrix of floats [any, any], got none");
  EXPECT_EQ(attend(Tensor({2, 4}, DType::fp64), y, z, {}),
            "query: expected a matrix of floats [any, any], got [2, 4]");
  const auto message = [](auto call) { return error_of(call); };
  SequenceModel model(testing::small_config(11));
  const Attention parameters = paper::attention_of(model, "encoder.0.self");
  EXPECT_THAT(message([&] {
                paper::multi_head_attention(parameters, 3, drawn({2, 8}, 1), x);
              }),
              ::testing::HasSubstr("memory: expected a matrix of floats [any, 8]"));
  EXPECT_EQ(message([&] {
              paper::multi_head_attention(parameters, 3, drawn({2, 8}, 1), drawn({2, 8}, 1));
            }),
            "heads: expected a divisor of the query's 8 columns, got 3");
  EXPECT_THAT(
      message([&] { paper::multi_head_attention(parameters, 1, x, x); }),
      ::testing::HasSubstr("query weight: expected a matrix of floats [any, 4], got [8, 8]"));
  EXPECT_THAT(message([&] { paper::causal_mask(3, 2); }), ::testing::HasSubstr("causal_mask"));
  EXPECT_THAT(message([&] { paper::positional_encoding(3, 5); }), ::testing::HasSubstr("even"));
  const std::vector<TokenId> labels = {1, 4};
  EXPECT_EQ(message([&] { paper::label_smoothed_cross_entropy(x, labels); }),
            "label: expected 0 to 3, got 4");
  EXPECT_THAT(message([&] { paper::label_smoothed_cross_entropy(y, labels); }),
              ::testing::HasSubstr("logits: expected a matrix of floats [2, any]"));
  EXPECT_THAT(message([&] {
                paper::label_smoothed_cross_entropy(x, {{1, 1}}, 1);
              }),
              ::testing::HasSubstr("smoothing"));
  EXPECT_THAT(message([&] { paper::noam_learning_rate(0); }), ::testing::HasSubstr("step"));
}

TEST(Paper, SizesThatCannotBeAreNamed) {
  const int64_t huge = int64_t{1} << 40;
  const std::vector<float> four = {1, 2, 3, 4};
  expect_usage([&] { tensor_of<float>({2, 3}, four); }, "tensor_of [2, 3] 4");
  expect_usage([&] { tensor_of<float>({-2, -2}, four); }, "tensor_of [-2, -2] 4");
  expect_usage([&] { tensor_of<float>({huge, huge}, four); }, "tensor_of 1099511627776 4");
  EXPECT_EQ(tensor_of<float>({0, 3}, {}).size(), 0);
  expect_usage([&] { paper::causal_mask(huge, huge); }, "causal_mask 1099511627776");
  expect_usage([&] { paper::causal_mask(1, INT64_MAX); }, "causal_mask 1 9223372036854775807");
  expect_usage([&] { paper::causal_mask(40'000, 40'000); }, "causal_mask 40000");
  expect_usage([&] { paper::positional_encoding(huge, huge); },
               "positional_encoding 1099511627776");
  expect_usage([&] { paper::positional_encoding(INT64_MAX, 2); }, "positional_encoding 2");
  const Tensor tall({30'000, 1}), x = drawn({2, 4}, 1);
  expect_usage([&] { paper::scaled_dot_product_attention(tall, tall, tall); }, "30000");
  // Nothing to attend to, and nothing to predict.
  const Tensor none({0, 4}), narrow({2, 0});
  expect_usage([&] { paper::scaled_dot_product_attention(x, none, none); }, "key [0, 4]");
  expect_usage([&] { paper::scaled_dot_product_attention(narrow, narrow, x); }, "query [2, 0]");
  expect_usage([&] { paper::label_smoothed_cross_entropy(x, {}); }, "labels");
}

TEST(Paper, AModelLoadedForABackendHasNoWeightsToTake) {
  SequenceModel model(testing::small_config(11));
  const auto backend = make_cpu_backend();
  for (Parameter& parameter : parameters(model)) {
    if (parameter.tensor.shape().size() != 2) continue;
    parameter.tensor.storage()->packed = backend->pack(parameter.tensor, Purpose::inference);
    parameter.tensor.release_values();
  }
  EXPECT_THROW(paper::attention_of(model, "encoder.0.self"), UsageError);
}

}  // namespace
}  // namespace heed
