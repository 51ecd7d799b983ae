#include "heed/model/sequence_model.h"

#include <set>

#include "reference/reference_backend.h"
#include "support/gradients.h"
#include "support/isolated_backend.h"
#include "support/small_model.h"

namespace heed {
namespace {

using testing::expect_gradient;

ModelConfig config_with_dropout() {
  ModelConfig config = testing::small_config(11);
  config.dropout = 0.2;
  config.attention_dropout = 0.1;
  config.activation_dropout = 0.1;
  return config;
}

Tokens tokens(const std::vector<std::vector<TokenId>>& sequences) {
  Tokens all;
  for (const auto& s : sequences) all.add(s);
  return all;
}

std::vector<float> values_of(SequenceModel& model, const std::string& name) {
  for (const Parameter& p : parameters(model))
    if (p.name == name) return {p.tensor.span<float>().begin(), p.tensor.span<float>().end()};
  return {};
}

class TransformerTest : public ::testing::Test {
 protected:
  double loss(const SequenceModel& model, Tape* tape) {
    ForwardPass pass(*backend_, pool_);
    pass.dropout_seed = 5;
    pass.tape = tape;
    const EncoderOutput memory = model.encode(pass, source_);
    const Tensor states = model.decode(pass, target_, memory);
    const Loss loss = model.output().loss(pass, states, labels_, {0.1, 1});
    if (tape) tape->backward();
    return loss.smoothed;
  }

  std::unique_ptr<Backend> backend_ = testing::isolated_if_asked(make_reference_backend());
  TensorPool pool_{backend_->memory()};
  Tokens source_ = tokens({{2, 3, 4, 0}, {5, 0}, {7, 8, 2, 2, 6, 0}});
  Tokens target_ = tokens({{10, 4, 3}, {10, 9, 9, 2}, {10}});
  Indices labels_ = {4, 3, 0, 9, 9, 2, 0, 0};
};

TEST_F(TransformerTest, SlowWholeModelGradient) {
  for (TieEmbeddings tie : {TieEmbeddings::all, TieEmbeddings::decoder, TieEmbeddings::none}) {
    for (FeedForwardKind activation : {FeedForwardKind::relu, FeedForwardKind::silu}) {
      ModelConfig config = config_with_dropout();
      config.tie_embeddings = tie;
      config.activation = activation;
      config.output_bias = tie == TieEmbeddings::none;
      SequenceModel model(config, DType::fp64);
      model.initialize(3);
      model.move_to(backend_->memory());
      Tape tape(pool_);
      std::vector<Parameter> all = parameters(model);
      std::vector<Tensor> gradients;
      for (const Parameter& p : all) {
        gradients.emplace_back(p.tensor.shape(), DType::fp64, backend_->memory());
        tape.watch(p.tensor, gradients.back());
      }
      loss(model, &tape);
      for (size_t i = 0; i < all.size(); ++i) {
        // <pad>'s row is a constant: differences would see it move.
        const Tensor& x = all[i].tensor;
        const bool table = x.shape().size() == 2 && x.dim(0) == config.vocabulary_size;
        const Tensor moved = table ? x.slice(0, config.vocabulary_size - 1) : x;
        const Tensor gradient =
            table ? gradients[i].slice(0, config.vocabulary_size - 1) : gradients[i];
        expect_gradient(
            all[i].name, moved, gradient, [&] { return loss(model, nullptr); }, 12);
        if (!table) continue;
        const Tensor pad =
            to_host(gradients[i].slice(config.vocabulary_size - 1, config.vocabulary_size));
        for (double g : pad.span<double>())
          EXPECT_EQ(g, 0) << all[i].name << ": <pad> gets no gradient";
      }
    }
  }
}

TEST_F(TransformerTest, ASentenceDoesNotSeeItsNeighbours) {
  SequenceModel model(config_with_dropout(), DType::fp64);
  model.initialize(3);
  model.move_to(backend_->memory());
  ForwardPass pass(*backend_, pool_);
  const Tensor together = to_host(model.decode(pass, target_, model.encode(pass, source_)));
  const Tokens source = tokens({{5, 0}}), target = tokens({{10, 9, 9, 2}});
  const Tensor alone = to_host(model.decode(pass, target, model.encode(pass, source)));
  for (int64_t i = 0; i < alone.size(); ++i)
    EXPECT_EQ(alone.data<double>()[i], together.data<double>()[3 * 8 + i]);
}

// sqrt(16) is a power of two: to multiply by it now or later is the same to the bit.
TEST_F(TransformerTest, EmbeddingsAreScaledUnlessTheConfigSaysOtherwise) {
  ModelConfig config = config_with_dropout();
  config.d_model = 16;
  config.tie_embeddings = TieEmbeddings::none;
  const auto loss_of = [&](float factor) {
    SequenceModel model = random_model(config, 3);
    for (Parameter& p : parameters(model)) {
      if (p.name != "embeddings.source" && p.name != "embeddings.target") continue;
      for (float& value : p.tensor.span<float>()) value *= factor;
    }
    model.move_to(backend_->memory());
    return loss(model, nullptr);
  };
  const double scaled = loss_of(1);
  config.scale_embeddings = false;
  EXPECT_NE(loss_of(1), scaled);
  EXPECT_EQ(loss_of(4), scaled);
}

TEST_F(TransformerTest, TheDecoderMayHaveAnotherInnerDimension) {
  ModelConfig config = config_with_dropout();
  config.decoder_d_ff = 12;
  SequenceModel model = random_model(config, 3);
  EXPECT_EQ(values_of(model, "encoder.0.feed_forward.inner.bias").size(), 16u);
  EXPECT_EQ(values_of(model, "decoder.0.feed_forward.inner.bias").size(), 12u);
  model.move_to(backend_->memory());
  EXPECT_GT(loss(model, nullptr), 0);
}

TEST_F(TransformerTest, InitializationFollowsItsSeed) {
  SequenceModel a(config_with_dropout()), b(config_with_dropout()), c(config_with_dropout());
  a.initialize(1), b.initialize(1), c.initialize(2);
  const Tensor x = parameters(a)[1].tensor, y = parameters(b)[1].tensor;
  EXPECT_EQ(0, memcmp(x.bytes(), y.bytes(), size_t(x.byte_count())));
  EXPECT_NE(0, memcmp(x.bytes(), parameters(c)[1].tensor.bytes(), size_t(x.byte_count())));
  const Tensor pad = parameters(a)[0].tensor.slice(10, 11);
  for (float value : pad.span<float>()) EXPECT_EQ(value, 0);
}

static_assert(!std::is_copy_constructible_v<SequenceModel>, "a copy would share the parameters");
static_assert(std::is_nothrow_move_constructible_v<SequenceModel>);

TEST_F(TransformerTest, ACloneHasParametersOfItsOwn) {
  for (TieEmbeddings tie : {TieEmbeddings::all, TieEmbeddings::decoder, TieEmbeddings::none}) {
    ModelConfig config = config_with_dropout();
    config.tie_embeddings = tie;
    config.output_bias = true;
    SequenceModel model(config, DType::fp64);
    model.initialize(1);
    model.move_to(backend_->memory());
    SequenceModel clone = model.clone();
    EXPECT_EQ(clone.config(), config);
    const double before = loss(model, nullptr);
    EXPECT_EQ(loss(clone, nullptr), before);
    EXPECT_EQ(parameter_count(clone), parameter_count(model));
    for (Parameter& p : parameters(model)) fill_zeros(p.tensor);
    EXPECT_NE(loss(model, nullptr), before);
    const SequenceModel moved = std::move(clone);
    EXPECT_EQ(loss(moved, nullptr), before);
  }
}

// Another parameter more or less, such as a table of its own, moves none of the others.
TEST_F(TransformerTest, AParameterIsDrawnByItsName) {
  ModelConfig tied = config_with_dropout(), untied = tied;
  untied.tie_embeddings = TieEmbeddings::none;
  untied.decoder_layers = 1;
  SequenceModel a(tied), b(untied);
  a.initialize(1), b.initialize(1);
  int64_t compared = 0;
  for (const Parameter& p : parameters(a)) {
    for (const Parameter& q : parameters(b)) {
      if (p.name != q.name) continue;
      EXPECT_EQ(0, memcmp(p.tensor.bytes(), q.tensor.bytes(), size_t(p.tensor.byte_count())));
      compared += p.role == ParameterRole::matrix;
    }
  }
  EXPECT_EQ(compared, 2 * 6 + 10);
  EXPECT_EQ(std::set<std::vector<float>>({values_of(a, "encoder.0.self.key.weight"),
                                          values_of(a, "encoder.0.self.value.weight"),
                                          values_of(a, "decoder.0.self.key.weight")})
                .size(),
            3u);
}

class InitialWeightsTest : public ::testing::TestWithParam<InitialWeights> {};

TEST_P(InitialWeightsTest, MatricesAreUniform) {
  ModelConfig config = config_with_dropout();
  config.d_model = 32, config.d_ff = 64;
  SequenceModel model(config);
  model.initialize(1, GetParam());
  for (const Parameter& p : parameters(model)) {
    if (p.role != ParameterRole::matrix) continue;
    const auto outputs = double(p.tensor.dim(0)), inputs = double(p.tensor.dim(1));
    const double bound = GetParam() == InitialWeights::fan_in ? 1 / std::sqrt(inputs)
                                                              : std::sqrt(6 / (inputs + outputs));
    double largest = 0;
    for (const float x : p.tensor.span<float>()) largest = std::max(largest, std::abs(double(x)));
    EXPECT_LE(largest, bound) << p.name;
    EXPECT_GT(largest, 0.97 * bound) << p.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, InitialWeightsTest,
                         ::testing::Values(InitialWeights::xavier, InitialWeights::fan_in));

TEST_F(TransformerTest, PresetsAreThePapers) {
  ModelConfig base = preset("base");
  SequenceModel model(base);
  // Table 3 says 65 million for a vocabulary of 37,000: the tables, 18.9; the layers, 44.1.
  EXPECT_NEAR(double(parameter_count(model)), 63.1e6, 0.1e6);
  EXPECT_EQ(preset("big").d_ff, 4096);
  EXPECT_THROW(preset("huge"), UsageError);
}

TEST_F(TransformerTest, ContradictionsAreNamed) {
  ModelConfig config = config_with_dropout();
  config.heads = 3;
  try {
    SequenceModel model(config);
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_NE(std::string(e.what()).find("multiple of heads"), std::string::npos);
  }
  config = preset("base");
  config.max_positions = 32768;  // exactly 64 MiB of positions
  EXPECT_NO_THROW(config.validate());
  config.max_positions = 32769;
  try {
    config.validate();
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_NE(std::string(e.what()).find("max_positions 32769 and d_model 512"), std::string::npos);
  }
}

TEST(PositionalEncoding, SinesFirstThenCosines) {
  const Tensor table = positional_encoding(3, 4, DType::fp64);
  const double* row = table.data<double>() + 2 * 4;
  EXPECT_DOUBLE_EQ(row[0], std::sin(2.0));
  EXPECT_DOUBLE_EQ(row[1], std::sin(2.0 / 100));
  EXPECT_DOUBLE_EQ(row[2], std::cos(2.0));
  EXPECT_DOUBLE_EQ(row[3], std::cos(2.0 / 100));
}

}  // namespace
}  // namespace heed
