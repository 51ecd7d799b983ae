// Every variant of the model: gradients, backends, the KV cache and model directories.
#include "heed/model/variants.h"

#include <cstring>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "reference/reference_backend.h"
#include "support/computing.h"
#include "support/facts.h"
#include "support/gradients.h"
#include "support/isolated_backend.h"
#include "support/model_gradients.h"
#include "support/temporary_folder.h"
#include "support/variant_models.h"

namespace heed {
namespace {

using testing::expect_gradient;
using testing::VariantModel;

std::vector<VariantModel> all_variants() {
  std::vector<VariantModel> models = testing::each_variant();
  for (VariantModel& model : testing::pairwise_variants()) models.push_back(std::move(model));
  return models;
}

Tokens batch_of(const std::vector<std::vector<TokenId>>& sequences) {
  Tokens all;
  for (const auto& s : sequences) all.add(s);
  return all;
}

const Tokens& sources() {
  static const Tokens tokens = batch_of({{2, 3, 4, 0}, {5, 0}, {7, 8, 2, 2, 6, 9, 3, 0}});
  return tokens;
}
const Tokens& targets() {
  static const Tokens tokens = batch_of({{10, 4, 3}, {10, 9, 9, 2, 7, 5}, {10}});
  return tokens;
}
const Indices& labels() {
  static const Indices ids = {4, 3, 0, 9, 9, 2, 7, 5, 0, 0};
  return ids;
}

// A model with dropout, so that its streams are tested too.
SequenceModel made(ModelConfig config, DType type) {
  config.dropout = 0.2;
  config.attention_dropout = 0.1;
  if (!config.is_recurrent()) config.activation_dropout = 0.1;
  SequenceModel model(config, type);
  model.initialize(3);
  // Biases and gains are 0 and 1 at first, which would hide much.
  for (Parameter& p : parameters(model)) {
    if (p.role != ParameterRole::bias && p.role != ParameterRole::gain) continue;
    const Tensor noise = testing::random_tensor(p.tensor.shape(), 7, type);
    for (int64_t i = 0; i < p.tensor.size(); ++i) {
      if (type == DType::fp64)
        p.tensor.data<double>()[i] += 0.2 * noise.data<double>()[i];
      else
        p.tensor.data<float>()[i] += 0.2f * noise.data<float>()[i];
    }
  }
  return model;
}

double loss_of_batch(const SequenceModel& model, Backend& backend, TensorPool& pool, Tape* tape) {
  ForwardPass pass(backend, pool);
  pass.dropout_seed = 5;
  pass.tape = tape;
  const EncoderOutput memory = model.encode(pass, sources());
  const Tensor states = model.decode(pass, targets(), memory);
  const Loss loss = model.output().loss(pass, states, labels(), {0.1, 1});
  if (tape) tape->backward();
  return loss.smoothed;
}

std::vector<Tensor> gradients_of_batch(SequenceModel& model, Backend& backend, TensorPool& pool) {
  return testing::model_gradients(model, backend, pool,
                                  [&](Tape& tape) { loss_of_batch(model, backend, pool, &tape); });
}

// A choice of the best key has no derivative to compare with.
bool is_differentiable(const ModelConfig& config) {
  return parse_reach(config.variants.attention_reach).kind != AttentionReach::Kind::hard;
}

// Compares this many elements of each parameter with central differences.
void expect_gradients(const VariantModel& variant, int elements) {
  if (!is_differentiable(variant.config)) return;
  SCOPED_TRACE(variant.name);
  const auto backend = make_reference_backend();
  TensorPool pool;
  SequenceModel model = made(variant.config, DType::fp64);
  const std::vector<Tensor> gradients = gradients_of_batch(model, *backend, pool);
  const std::vector<Parameter> all = parameters(model);
  for (size_t i = 0; i < all.size(); ++i) {
    const bool table = all[i].role == ParameterRole::embedding;
    const int64_t rows = variant.config.vocabulary_size - 1;  // <pad> is a constant
    expect_gradient(
        all[i].name, table ? all[i].tensor.slice(0, rows) : all[i].tensor,
        table ? gradients[i].slice(0, rows) : gradients[i],
        [&] { return loss_of_batch(model, *backend, pool, nullptr); }, elements);
  }
}

TEST(ModelVariants, SlowGradients) {
  for (const VariantModel& variant : testing::each_variant()) expect_gradients(variant, 6);
}

// There are many of them, whose parts are those above.
TEST(ModelVariants, SoakGradientsOfPairs) {
  for (const VariantModel& variant : testing::pairwise_variants()) expect_gradients(variant, 2);
}

double relative_difference(const Tensor& got, const Tensor& expected) {
  double difference = 0, norm = 0;
  for (int64_t i = 0; i < got.size(); ++i) {
    const double a = got.data<float>()[i], b = expected.data<float>()[i];
    difference += (a - b) * (a - b);
    norm += b * b;
  }
  return std::sqrt(difference / std::max(norm, 1e-12));
}

class VariantsOnTargets : public ::testing::TestWithParam<std::string> {};

TEST_P(VariantsOnTargets, LossAndGradientsAreTheReferences) {
  const auto reference = make_reference_backend();
  const auto cpu = make_cpu_backend(GetParam());
  TensorPool pool;
  for (const VariantModel& variant : all_variants()) {
    if (!is_differentiable(variant.config)) continue;
    SCOPED_TRACE(variant.name);
    SequenceModel model = made(variant.config, DType::fp32);
    const double expected = loss_of_batch(model, *reference, pool, nullptr);
    const std::vector<Tensor> expected_gradients = gradients_of_batch(model, *reference, pool);
    pack(model, *cpu, Purpose::training);
    EXPECT_NEAR(loss_of_batch(model, *cpu, pool, nullptr), expected, 1e-4 * expected);
    const std::vector<Tensor> gradients = gradients_of_batch(model, *cpu, pool);
    const std::vector<Parameter> all = parameters(model);
    double norm = 0;
    for (const Tensor& gradient : expected_gradients)
      for (const float g : gradient.span<float>()) norm += double(g) * double(g);
    for (size_t i = 0; i < all.size(); ++i) {
      double own = 0;
      for (const float g : std::as_const(expected_gradients[i]).span<float>())
        own += double(g) * double(g);
      if (own < 1e-8 * norm) continue;  // such as that of a bias on keys, which changes nothing
      EXPECT_LE(relative_difference(gradients[i], expected_gradients[i]), 2e-3) << all[i].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, VariantsOnTargets, ::testing::ValuesIn(testing::cpu_targets()),
                         [](const auto& info) { return info.param; });

class CachedVariants : public ::testing::TestWithParam<testing::Computing> {
 protected:
  std::unique_ptr<Backend> backend_ =
      testing::isolated_if_asked(make_cpu_backend(GetParam().backend, GetParam().compute));
  TensorPool pool_{backend_->memory()};
};

// Decoding token by token over the model's memory, two sentences together, gives the bits of the
// whole prefix of each alone.
TEST_P(CachedVariants, AStepOverTheCacheIsItsPrefix) {
  const std::vector<std::vector<TokenId>> source_ids = {{2, 3, 4, 0}, {7, 8, 2, 2, 6, 9, 3, 0}};
  const std::vector<std::vector<TokenId>> target_ids = {{10, 4, 3, 7, 8, 9}, {10, 9, 9, 2, 3, 5}};
  for (const VariantModel& variant : all_variants()) {
    SCOPED_TRACE(variant.name);
    SequenceModel model = made(variant.config, DType::fp32);
    model.move_to(backend_->memory());
    pack(model, *backend_, Purpose::inference);
    const std::unique_ptr<StepModel> steps = make_steps({model, *backend_});
    steps->reserve({12, 12});
    ForwardPass pass(*backend_, pool_);
    std::vector<Tensor> whole;
    KeyRows source_keys;
    std::vector<int32_t> all_source_rows;
    for (size_t s = 0; s < 2; ++s) {
      const Tokens source = batch_of({source_ids[s]});
      const Tensor states =
          model.decode(pass, batch_of({target_ids[s]}), model.encode(pass, source));
      whole.push_back(to_host(model.output().logits(pass, states)));
      std::vector<int32_t> rows(source_ids[s].size());
      for (size_t i = 0; i < rows.size(); ++i) rows[i] = int32_t((7 * (4 * s + i) + 3) % 12);
      steps->admit(source, rows);
      all_source_rows.insert(all_source_rows.end(), rows.begin(), rows.end());
      source_keys.lengths.add(int64_t(rows.size()));
    }
    source_keys.rows = all_source_rows;
    // The first sentence begins with a prefix of three tokens, the second with one.
    std::array<size_t, 2> at = {0, 0};
    while (at[1] < target_ids[1].size()) {
      StepTokens step;
      std::vector<int32_t> past;
      std::vector<std::pair<size_t, size_t>> computed;  // sentence and position of each new token
      for (size_t s = 0; s < 2; ++s) {
        const size_t size = target_ids[s].size();
        const size_t count = at[s] == size ? 0 : s == 0 && at[s] == 0 ? 3 : 1;
        if (count == 0) continue;
        step.tokens.add(std::span(&target_ids[s][at[s]], count));
        step.tokens.start.push_back(int32_t(at[s]));
        for (size_t j = 0; j < at[s] + count; ++j) {
          past.push_back(int32_t((5 * (2 * j + s) + 1) % 12));
          if (j < at[s]) continue;
          step.new_rows.push_back(past.back());
          computed.emplace_back(s, j);
        }
        at[s] += count;
        step.past.lengths.add(int64_t(at[s]));
        step.sentences.add(int64_t(count));
        const auto begin = source_keys.lengths.offsets[s], end = source_keys.lengths.offsets[s + 1];
        step.sources.lengths.add(end - begin);
        step.sources.rows.append(
            std::span(all_source_rows).subspan(size_t(begin), size_t(end - begin)));
      }
      step.past.rows = past;
      const Tensor got = to_host(steps->logits(step));
      for (size_t row = 0; row < computed.size(); ++row) {
        const auto [s, i] = computed[row];
        ASSERT_EQ(0, std::memcmp(got.slice(int64_t(row), int64_t(row) + 1).bytes(),
                                 whole[s].slice(int64_t(i), int64_t(i) + 1).bytes(),
                                 size_t(got.columns()) * sizeof(float)))
            << "sentence " << s << ", position " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, CachedVariants, ::testing::ValuesIn(testing::cpu_computings()),
                         [](const auto& info) {
                           return info.param.backend + "_" + name(info.param.compute);
                         });

TEST(ModelVariants, ADirectoryHoldsThem) {
  const testing::TemporaryFolder folder;
  const auto backend = make_reference_backend();
  TensorPool pool;
  for (const VariantModel& variant : all_variants()) {
    SCOPED_TRACE(variant.name);
    SequenceModel model = made(variant.config, DType::fp32);
    save_model(folder / "model", model);
    SequenceModel loaded = load_model(folder / "model");
    EXPECT_EQ(loaded.config().variants, model.config().variants);
    EXPECT_EQ(loaded.config().activation, model.config().activation);
    EXPECT_EQ(parameter_count(loaded), parameter_count(model));
    EXPECT_EQ(loss_of_batch(loaded, *backend, pool, nullptr),
              loss_of_batch(model, *backend, pool, nullptr));
    save_model(folder / "model", model, DType::int8);
    EXPECT_EQ(load_model(folder / "model").config(), model.config());
  }
}

// Opened for decoding, packed weights have no values any more: what else a variant has, must.
TEST(ModelVariants, AQuantizedModelDecodesAsItsWeightsDo) {
  const testing::TemporaryFolder folder;
  const auto int8 = make_cpu_backend("", DType::int8);
  TensorPool pool;
  for (const VariantModel& variant : testing::each_variant()) {
    SCOPED_TRACE(variant.name);
    SequenceModel saved = made(variant.config, DType::fp32);
    save_model(folder / "model", saved, DType::int8);
    SequenceModel model = load_model(folder / "model");  // with all values
    pack(model, *int8, Purpose::inference);
    const SequenceModel opened = load_model(folder / "model", *int8);
    ForwardPass pass(*int8, pool);
    const Tensor expected = model.decode(pass, targets(), model.encode(pass, sources()));
    const Tensor got = opened.decode(pass, targets(), opened.encode(pass, sources()));
    EXPECT_EQ(0, std::memcmp(got.bytes(), expected.bytes(), size_t(got.byte_count())));
  }
}

// A value that repeats the default is no variant.
TEST(ModelVariants, ADefaultThatIsGivenIsTheDefault) {
  Variants given;
  given.key_value_heads = 4;
  given.d_key = given.d_value = 2;
  given.attention_reach = "global";
  EXPECT_EQ(given.normalized(8, 4), Variants());
  given.d_key = 3;
  given.attention_reach = "local:05";
  Variants expected;
  expected.d_key = 3;
  expected.attention_reach = "local:5";
  EXPECT_EQ(given.normalized(8, 4), expected);
}

TEST(ModelVariants, AWrongConfigurationIsNamed) {
  const testing::TemporaryFolder folder;
  ModelConfig config = testing::variant_base();
  config.variants.norm = NormPlacement::pre;
  config.variants.key_value_heads = 2;
  SequenceModel model(config);
  model.initialize(1);
  save_model(folder / "model", model);
  const std::string text = folder.read("model/config.json");
  const auto error = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    folder.write("model/config.json", changed);
    try {
      load_model(folder / "model");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(error("\"key_value_heads\": 2", "\"key_value_heads\": 3"),
              HasFacts("config.json key_value_heads 3 4"));
  EXPECT_THAT(error("\"key_value_heads\": 2", "\"key_value_heads\": 1"),
              HasFacts("model.safetensors k_proj"));
  EXPECT_THAT(error("\"norm\": \"pre\"", "\"norm\": \"middle\""),
              HasFacts("config.json norm middle"));
  EXPECT_THAT(error("\"norm\": \"pre\"", "\"norm\": \"post\""),
              HasFacts("config.json normalize_before true"));
  EXPECT_THAT(error("\"d_key\": null", "\"d_key\": 65536"), HasFacts("config.json d_key 65536"));
  EXPECT_THAT(error("\"norm_kind\"", "\"norm_type\""), HasFacts("config.json norm_type"));
  EXPECT_THAT(
      error("\"static_position_embeddings\": true", "\"static_position_embeddings\": false"),
      HasFacts("config.json static_position_embeddings false"));
}

TEST(ModelVariants, OnlyThePapersModelIsMarians) {
  const testing::TemporaryFolder folder;
  const auto kind_of = [&](const ModelConfig& config) {
    SequenceModel model(config);
    model.initialize(1);
    save_model(folder / "model", model);
    const std::string text = folder.read("model/config.json");
    return std::pair(text.find("\"model_type\": \"marian\"") != std::string::npos,
                     text.find("MarianMTModel") != std::string::npos);
  };
  EXPECT_EQ(kind_of(testing::variant_base()), std::pair(true, true));
  for (const VariantModel& variant : testing::each_variant()) {
    const bool is_marians = variant.config.variants == Variants() &&
                            variant.config.activation != FeedForwardKind::swiglu;
    EXPECT_EQ(kind_of(variant.config), std::pair(is_marians, is_marians)) << variant.name;
  }
}

TEST(ModelVariants, ContradictionsAreNamed) {
  const auto error = [](const auto& change) {
    ModelConfig config = testing::variant_base();
    change(config);
    try {
      config.validate();
    } catch (const UsageError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(error([](ModelConfig& c) { c.variants.key_value_heads = 3; }),
              HasFacts("key_value_heads heads 3 4"));
  EXPECT_THAT(error([](ModelConfig& c) {
                c.variants.attention = ScoreFunction::additive;
                c.variants.positions = Positions::rotary;
              }),
              HasFacts("additive rotary"));
  EXPECT_THAT(error([](ModelConfig& c) {
                c.variants.attention = ScoreFunction::additive;
                c.variants.positions = Positions::relative;
              }),
              HasFacts("additive relative"));
  EXPECT_THAT(error([](ModelConfig& c) {
                c.heads = 3;
                c.variants.d_key = 4;
              }),
              HasFacts("d_model heads d_value 8 3"));
  EXPECT_THAT(error([](ModelConfig& c) {
                c.heads = 3;
                c.variants.d_key = c.variants.d_value = 4;
              }),
              "");
  EXPECT_THAT(error([](ModelConfig& c) { c.variants.d_value = 20000; }),
              HasFacts("d_value 20000 65536 4"));
  EXPECT_THAT(error([](ModelConfig& c) {
                c.variants.share_query_key = true;
                c.variants.key_value_heads = 2;
              }),
              HasFacts("share_query_key key_value_heads 2 4"));
  EXPECT_THAT(error([](ModelConfig& c) {
                c.variants.positions = Positions::rotary;
                c.variants.d_key = 3;
              }),
              HasFacts("rotary d_key even 3"));
  for (const char* reach : {"local", "local:", "local:0", "local:-1", "local:x", "local-p:", "soft",
                            "local:99999", "local:3 ", ""})
    EXPECT_THAT(error([=](ModelConfig& c) { c.variants.attention_reach = reach; }),
                HasFacts("attention_reach local:W"))
        << reach;
}

TEST(ModelVariants, EachPairOfValuesIsTested) {
  EXPECT_GE(testing::single_variants().size(), 27u);
  EXPECT_LE(testing::pairwise_variants().size(), 80u);
  for (const VariantModel& variant : all_variants()) EXPECT_TRUE(testing::is_valid(variant.config));
}

}  // namespace
}  // namespace heed
