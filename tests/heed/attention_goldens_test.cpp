// The variants of attention, positions and norms against PyTorch and transformers
// (tools/make_attention_goldens.py): the functions of paper_variants.h, and what the model computes
// with, on each backend.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/sequence_model.h"
#include "heed/paper_variants.h"
#include "reference/reference_backend.h"
#include "support/facts.h"
#include "support/goldens.h"
#include "support/small_model.h"

namespace heed {
namespace {

using testing::expect_near;
using testing::Json;
using testing::matrix;

Json attention_goldens(const std::string& group) {
  return testing::goldens("/heed/data/attention.json", group);
}

// What a golden of the group "attention" says.
struct AttentionGolden {
  explicit AttentionGolden(const Json& json)
      : json(json),
        heads(json["heads"]),
        query(matrix(json["query"])),
        key(matrix(json["key"])),
        value(matrix(json["value"])),
        mask(json["causal"] ? Mask::causal : Mask::none),
        score(json["score"]),
        positions(json["positions"]),
        reach(json.value("reach", "global")) {
    if (json.contains("window")) window = json["window"].get<int64_t>();
    groups = key.columns() / d_key();
  }
  Tensor tensor(const char* name) const { return matrix(json[name]); }
  int64_t d_key() const { return query.columns() / heads; }
  int64_t d_value() const { return value.columns() / groups; }
  // Of the queries.
  Indices query_positions() const {
    return range(mask == Mask::causal ? key.rows() - query.rows() : 0, query.rows());
  }
  Indices key_positions() const { return range(0, key.rows()); }
  static Indices range(int64_t first, int64_t count) {
    Indices positions;
    for (int64_t i = 0; i < count; ++i) positions.push_back(int32_t(first + i));
    return positions;
  }

  Json json;
  int64_t heads, groups = 1;
  Tensor query, key, value;
  Mask mask;
  std::string score, positions, reach;
  std::optional<int64_t> window;
};

std::string to_text(const AttentionGolden& golden) {
  std::string text = golden.score + " " + golden.positions + " " + golden.reach;
  for (const int64_t n : {golden.heads, golden.groups, golden.query.rows(), golden.key.rows(),
                          golden.window.value_or(-1), int64_t(golden.mask == Mask::causal)})
    text += " " + std::to_string(n);
  return text;
}

// Part `i` of `count` parts of the columns.
Tensor part_of_columns(const Tensor& x, int64_t i, int64_t count) {
  const int64_t width = x.columns() / count;
  Tensor part({x.rows(), width});
  for (int64_t r = 0; r < x.rows(); ++r)
    std::copy_n(x.data<float>() + r * x.columns() + i * width, width,
                part.data<float>() + r * width);
  return part;
}

// Part `i` of `count` parts of the rows.
Tensor part_of_rows(const Tensor& x, int64_t i, int64_t count) {
  return x.slice(i * x.rows() / count, (i + 1) * x.rows() / count);
}

// [heads, queries, keys], from the functions of the positions and masks.
Tensor mask_of(const AttentionGolden& g) {
  const int64_t queries = g.query.rows(), keys = g.key.rows();
  Tensor all({g.heads, queries, keys});
  if (g.mask == Mask::causal) all = paper::add(all, paper::causal_mask(queries, keys));
  if (g.window && g.reach != "local-p")
    all = paper::add(all, paper::window_mask(queries, keys, *g.window, g.mask));
  if (g.positions == "alibi")
    all = paper::add(all, paper::alibi_bias(g.heads, queries, keys, g.mask));
  if (g.positions == "t5")
    all = paper::add(all, paper::t5_bias(g.tensor("table"), queries, keys, g.mask));
  return all;
}

Tensor scores_of_head(const AttentionGolden& g, int64_t h, const Tensor& query, const Tensor& key) {
  if (g.score == "dot") return paper::dot_scores(query, key);
  if (g.score == "general")
    return paper::general_scores(query, part_of_rows(g.tensor("weight"), h, g.heads), key);
  if (g.score == "additive")
    return paper::additive_scores({g.tensor("query_weight"), g.tensor("key_weight"), g.tensor("v")},
                                  query, key);
  if (g.score == "cosine") {
    const double gain = double(g.tensor("gain").data<float>()[h]);
    return paper::cosine_scores(query, key, gain * std::sqrt(double(g.d_key())));
  }
  if (g.score == "location")
    return paper::location_scores(g.query, part_of_rows(g.tensor("weight"), h, g.heads),
                                  key.rows());
  EXPECT_EQ(g.score, "scaled-dot");
  return paper::dot_scores(query, key, 1 / std::sqrt(double(g.d_key())));
}

paper::AttentionResult attend_to_head(const AttentionGolden& g, int64_t h, const Tensor& mask) {
  const int64_t group = h / (g.heads / g.groups);
  const Tensor query = part_of_columns(g.query, h, g.heads),
               key = part_of_columns(g.key, group, g.groups),
               value = part_of_columns(g.value, group, g.groups);
  if (g.positions == "relative")
    return paper::relative_attention(
        query, key, value, {g.tensor("relative_key"), g.tensor("relative_value")}, {.mask = mask});
  const Tensor scores = scores_of_head(g, h, query, key);
  if (g.reach == "hard") return paper::attend_hard(scores, value, mask);
  if (g.reach == "local-p") {
    const Tensor centers =
        paper::predicted_positions(g.query, g.tensor("center_inner"),
                                   part_of_rows(g.tensor("center"), h, g.heads), key.rows());
    return paper::attend_locally(scores, value, {centers, *g.window}, mask);
  }
  return paper::attend(scores, value, mask);
}

TEST(AttentionGoldens, OfThePapersFunctions) {
  const Json all = attention_goldens("attention");
  ASSERT_GE(all.size(), 60u);
  for (const Json& json : all) {
    const AttentionGolden g(json);
    SCOPED_TRACE(to_text(g));
    const Tensor mask = mask_of(g), context = g.tensor("context"), weights = g.tensor("weights");
    if (g.score == "scaled-dot" && g.reach == "global" && g.positions != "relative") {
      const bool rotary = g.positions == "rotary";
      const auto [output, got] = paper::grouped_query_attention(
          g.heads,
          rotary ? paper::rotary_embedding(g.query, g.query_positions(), g.heads) : g.query,
          rotary ? paper::rotary_embedding(g.key, g.key_positions(), g.groups) : g.key, g.value,
          {.mask = mask});
      expect_near(output, context);
      expect_near(got, weights);
      continue;
    }
    for (int64_t h = 0; h < g.heads; ++h) {
      const Shape shape{g.query.rows(), g.key.rows()};
      const auto [output, got] = attend_to_head(g, h, mask.slice(h, h + 1).reshape(shape));
      expect_near(output, part_of_columns(context, h, g.heads));
      expect_near(got, weights.slice(h, h + 1).reshape(shape));
    }
  }
}

template <class Enum>
Enum enum_of(const std::string& name) {
  for (const auto& [known, value] : enum_names(Enum{}))
    if (known == name) return value;
  throw std::runtime_error("no such value: " + name);
}

Tensor identity(int64_t size) {
  Tensor matrix({size, size});
  for (int64_t i = 0; i < size; ++i) matrix.data<float>()[i * size + i] = 1;
  return matrix;
}

Tensor transposed(const Tensor& x) {
  Tensor result({x.columns(), x.rows()});
  for (int64_t r = 0; r < x.rows(); ++r)
    for (int64_t c = 0; c < x.columns(); ++c)
      result.data<float>()[c * x.rows() + r] = x.data<float>()[r * x.columns() + c];
  return result;
}

// The golden as a block of the model, whose projections change nothing.
Attention attention_of_golden(const AttentionGolden& g) {
  Attention w;
  const int64_t values = g.heads * g.d_value();
  w.query.weight = identity(g.query.columns());
  w.key.weight = identity(g.key.columns());
  w.value.weight = identity(g.value.columns());
  w.output.weight = identity(values);
  if (g.score == "additive") {
    w.query.weight = g.tensor("query_weight");
    w.key.weight = g.tensor("key_weight");
    w.score = g.tensor("v");
  }
  if (g.score == "general") {
    w.score = Tensor({g.heads * g.d_key(), g.d_key()});
    for (int64_t h = 0; h < g.heads; ++h) {
      Tensor part = part_of_rows(w.score, h, g.heads);
      copy(transposed(part_of_rows(g.tensor("weight"), h, g.heads)), part);
    }
  }
  if (g.score == "cosine") w.score = g.tensor("gain").reshape({g.heads});
  if (g.score == "location") {
    w.location.weight = Tensor({g.heads * kLocations, g.query.columns()});
    for (int64_t h = 0; h < g.heads; ++h) {
      Tensor part = part_of_rows(w.location.weight, h, g.heads).slice(0, g.key.rows());
      copy(part_of_rows(g.tensor("weight"), h, g.heads), part);
    }
  }
  if (g.reach == "local-p") {
    w.center_inner.weight = g.tensor("center_inner");
    w.center.weight = g.tensor("center");
  }
  if (g.positions == "relative") {
    w.relative_key = g.tensor("relative_key");
    w.relative_value = transposed(g.tensor("relative_value"));
  }
  if (g.positions == "t5")
    w.position_bias = g.tensor("table").reshape({g.heads * kRelativeBuckets});
  return w;
}

AttentionMethod method_of(const AttentionGolden& g) {
  AttentionMethod method{.score = enum_of<ScoreFunction>(g.score),
                         .reach = {},
                         .positions = enum_of<Positions>(g.positions),
                         .heads = g.heads,
                         .key_value_heads = g.groups,
                         .d_key = g.d_key(),
                         .mask = g.mask};
  if (g.window) method.reach = {AttentionReach::Kind::local, *g.window};
  if (g.reach == "local-p") method.reach.kind = AttentionReach::Kind::predicted;
  if (g.reach == "hard") method.reach.kind = AttentionReach::Kind::hard;
  return method;
}

class AttentionGoldensOn : public ::testing::TestWithParam<std::string> {
 public:
  static std::unique_ptr<Backend> backend() {
    return GetParam() == "reference" ? make_reference_backend() : make_cpu_backend(GetParam());
  }
};

TEST_P(AttentionGoldensOn, OfTheModel) {
  const auto used = backend();
  TensorPool pool;
  for (const Json& json : attention_goldens("attention")) {
    const AttentionGolden g(json);
    SCOPED_TRACE(to_text(g));
    const Attention w = attention_of_golden(g);
    const AttentionMethod method = method_of(g);
    Ragged queries;
    queries.add(g.query.rows());
    KeyRows keys;
    keys.lengths.add(g.key.rows());
    ForwardPass pass(*used, pool);
    const KeyValue projected =
        project_key_value(pass, w, method, g.key, g.value, g.key_positions());
    const Indices positions = g.query_positions();
    const AttentionLayout layout{queries, keys, g.mask, &positions};
    Tensor weights(Shape{attention_weight_count(layout, g.heads)});
    expect_near(attend(pass, w, method, {g.query, projected, layout}, {&weights}),
                g.tensor("context"));
    expect_near(weights.reshape({g.heads, g.query.rows(), g.key.rows()}), g.tensor("weights"));
  }
}

TEST_P(AttentionGoldensOn, OfRotaryEmbedding) {
  const auto used = backend();
  TensorPool pool;
  ForwardPass pass(*used, pool);
  for (const Json& golden : attention_goldens("rotary")) {
    const Tensor x = matrix(golden["x"]), y = matrix(golden["y"]);
    const Indices positions = golden["positions"].get<std::vector<int32_t>>();
    expect_near(paper::rotary_embedding(x, positions, golden["heads"]), y);
    expect_near(rotate(pass, x, positions, golden["heads"]), y);
  }
}

TEST(AttentionGoldens, OfT5sBuckets) {
  const Json all = attention_goldens("t5_buckets");
  ASSERT_EQ(all.size(), 2u);
  Tensor table({1, kRelativeBuckets});  // a bucket's entry is its number
  for (int64_t i = 0; i < table.size(); ++i) table.data<float>()[i] = float(i);
  for (const Json& golden : all) {
    const auto expected = golden["buckets"].get<std::vector<float>>();
    ASSERT_EQ(expected.size(), 301u);
    const Mask mask = golden["causal"] ? Mask::causal : Mask::none;
    EXPECT_THAT(paper::t5_bias(table, 1, 301, mask).span<float>(),
                ::testing::ElementsAreArray(expected));
  }
}

TEST_P(AttentionGoldensOn, OfNorms) {
  const auto used = backend();
  TensorPool pool;
  ForwardPass pass(*used, pool);
  const Json all = attention_goldens("norm");
  ASSERT_EQ(all.size(), 2u);
  for (const Json& golden : all) {
    const Tensor x = matrix(golden["x"]), gain = matrix(golden["gain"]), y = matrix(golden["y"]);
    const auto kind = enum_of<NormKind>(golden["kind"]);
    const Tensor bias = kind == NormKind::layer ? matrix(golden["bias"]) : Tensor();
    expect_near(bias ? paper::layer_norm(x, gain, bias) : paper::rms_norm(x, gain), y);
    expect_near(normalize(pass, x, gain, bias, {.kind = kind}), y);
  }
}

// The third `part` of the rows of PyTorch's query, key and value projections.
Linear projection(const Json& golden, int64_t part) {
  return {part_of_rows(matrix(golden["layers.0.self_attn.in_proj_weight"]), part, 3),
          matrix(golden["layers.0.self_attn.in_proj_bias"]).slice(part * 8, part * 8 + 8)};
}

Linear linear_of(const Json& golden, const std::string& name) {
  return {matrix(golden[name + ".weight"]), matrix(golden[name + ".bias"])};
}

Norm norm_of(const Json& golden, const std::string& name) {
  return {matrix(golden[name + ".weight"]), matrix(golden[name + ".bias"])};
}

Layer layer_of(const Json& golden) {
  return {.self_attention = {.query = projection(golden, 0),
                             .key = projection(golden, 1),
                             .value = projection(golden, 2),
                             .output = linear_of(golden, "layers.0.self_attn.out_proj")},
          .self_norm = norm_of(golden, "layers.0.norm1"),
          .feed_forward = {linear_of(golden, "layers.0.linear1"),
                           {},
                           linear_of(golden, "layers.0.linear2")},
          .feed_forward_norm = norm_of(golden, "layers.0.norm2")};
}

TEST(AttentionGoldens, OfAPreNormLayerOfThePapersFunctions) {
  for (const Json& golden : attention_goldens("pre_norm")) {
    const Layer w = layer_of(golden);
    const Norm last = norm_of(golden, "norm");
    Tensor x = matrix(golden["x"]);
    const Tensor y = paper::layer_norm(x, w.self_norm.gain, w.self_norm.bias);
    x = paper::add(x, paper::multi_head_attention(w.self_attention, golden["heads"], y, y).output);
    x = paper::add(x, paper::feed_forward(w.feed_forward.inner, w.feed_forward.output,
                                          paper::layer_norm(x, w.feed_forward_norm.gain,
                                                            w.feed_forward_norm.bias)));
    expect_near(paper::layer_norm(x, last.gain, last.bias), matrix(golden["y"]));
  }
}

TEST_P(AttentionGoldensOn, OfAPreNormEncoder) {
  const auto used = backend();
  TensorPool pool;
  const Json all = attention_goldens("pre_norm");
  ASSERT_EQ(all.size(), 1u);
  const Json& golden = all[0];
  const Tensor x = matrix(golden["x"]);
  ModelConfig config = testing::small_config(x.rows() + 1);
  config.heads = golden["heads"];
  config.encoder_layers = 1;
  config.variants.norm = NormPlacement::pre;
  config.variants.positions = Positions::none;
  SequenceModel model(config);
  const auto set = [&](const std::string& prefix, auto& values) {
    std::decay_t<decltype(values)>::visit(values, [&](const std::string& name, auto& tensor, auto) {
      for (Parameter& p : parameters(model))
        if (p.name == prefix + "." + name) copy(tensor, p.tensor);
    });
  };
  Layer w = layer_of(golden);
  set("encoder.0.self.query", w.self_attention.query);
  set("encoder.0.self.key", w.self_attention.key);
  set("encoder.0.self.value", w.self_attention.value);
  set("encoder.0.self.output", w.self_attention.output);
  set("encoder.0.self_norm", w.self_norm);
  set("encoder.0.feed_forward.inner", w.feed_forward.inner);
  set("encoder.0.feed_forward.output", w.feed_forward.output);
  set("encoder.0.feed_forward_norm", w.feed_forward_norm);
  Norm last = norm_of(golden, "norm");
  set("encoder_stack.norm", last);
  // Embeddings are multiplied by sqrt(d_model).
  for (Parameter& p : parameters(model))
    if (p.name == "embeddings.shared")
      for (int64_t i = 0; i < x.size(); ++i)
        p.tensor.data<float>()[i] = x.data<float>()[i] / std::sqrt(float(config.d_model));
  Tokens tokens;
  tokens.add(std::vector<TokenId>{0, 1, 2, 3, 4});
  ForwardPass pass(*used, pool);
  expect_near(model.encode(pass, tokens).states, matrix(golden["y"]));
}

INSTANTIATE_TEST_SUITE_P(, AttentionGoldensOn, ::testing::ValuesIn([] {
                           std::vector<std::string> all = cpu_instruction_sets();
                           all.push_back("reference");
                           return all;
                         }()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace heed
