// A Transformer without an encoder: a language model.
#include <gtest/gtest.h>

#include <algorithm>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/directory.h"
#include "heed/model/pair_batch.h"
#include "heed/model/sequence_model.h"
#include "reference/reference_backend.h"
#include "support/computing.h"
#include "support/facts.h"
#include "support/gradients.h"
#include "support/isolated_backend.h"
#include "support/model_gradients.h"
#include "support/small_model.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

using testing::expect_gradient;

ModelConfig decoder_alone() {
  ModelConfig config = testing::small_config(11);
  config.encoder_layers = 0;
  return config;
}

struct NamedConfig {
  std::string name;
  ModelConfig config;
};

// The paper's decoder, GPT-2's, and others whose parameters differ.
std::vector<NamedConfig> decoders() {
  std::vector<NamedConfig> all = {{"paper", decoder_alone()}};
  const auto add = [&](const std::string& name, const auto& change) {
    all.push_back({name, decoder_alone()});
    change(all.back().config);
  };
  add("gpt2", [](ModelConfig& c) {
    c.variants.positions = Positions::learned;
    c.variants.norm = NormPlacement::pre;
    c.activation = FeedForwardKind::gelu_tanh;
    c.scale_embeddings = false;
  });
  add("untied", [](ModelConfig& c) {
    c.tie_embeddings = TieEmbeddings::none;
    c.output_bias = true;
    c.variants.positions = Positions::t5;
  });
  add("tied decoder", [](ModelConfig& c) {
    c.tie_embeddings = TieEmbeddings::decoder;
    c.variants.positions = Positions::rotary;
    c.variants.norm_kind = NormKind::rms;
    c.activation = FeedForwardKind::swiglu;
    c.variants.key_value_heads = 1;
  });
  return all;
}

PairBatch texts(const ModelConfig& config) {
  PairBatch batch;
  for (const std::vector<TokenId>& ids : {std::vector<TokenId>{4, 3}, {9, 9, 2, 7, 5}, {}})
    batch.add({}, ids, config);
  return batch;
}

double loss(const SequenceModel& model, Backend& backend, TensorPool& pool, Tape* tape = nullptr) {
  ForwardPass pass(backend, pool);
  pass.dropout_seed = 5;
  pass.tape = tape;
  const Loss loss = loss_of(model, pass, texts(model.config()), {0.1, 1});
  if (tape) tape->backward();
  return loss.smoothed;
}

std::vector<Tensor> gradients_of_texts(SequenceModel& model, Backend& backend, TensorPool& pool) {
  return testing::model_gradients(model, backend, pool,
                                  [&](Tape& tape) { loss(model, backend, pool, &tape); });
}

TEST(DecoderAloneTest, HasNoParametersOfAnEncoder) {
  for (const auto& [name, config] : decoders()) {
    SCOPED_TRACE(name);
    SequenceModel model(config);
    for (const Parameter& p : parameters(model)) {
      EXPECT_EQ(p.name.find("encoder"), std::string::npos) << p.name;
      EXPECT_EQ(p.name.find("cross"), std::string::npos) << p.name;
      EXPECT_NE(p.name, "embeddings.source");
    }
    EXPECT_EQ(parameters(model)[0].name, config.tie_embeddings == TieEmbeddings::all
                                             ? "embeddings.shared"
                                             : "embeddings.target");
  }
}

TEST(DecoderAloneTest, SlowGradients) {
  const auto backend = testing::isolated_if_asked(make_reference_backend());
  TensorPool pool(backend->memory());
  for (auto [name, config] : decoders()) {
    SCOPED_TRACE(name);
    config.dropout = 0.2;
    config.attention_dropout = config.activation_dropout = 0.1;
    SequenceModel model(config, DType::fp64);
    model.initialize(3);
    // Without positions and biases the state of <pad>, the first token, is zero, where LayerNorm is
    // too steep for central differences.
    for (Parameter& p : parameters(model)) {
      const Tensor noise = testing::random_tensor(p.tensor.shape(), 7);
      if (p.role == ParameterRole::bias)
        std::ranges::copy(noise.span<double>(), p.tensor.data<double>());
    }
    model.move_to(backend->memory());
    const std::vector<Tensor> gradients = gradients_of_texts(model, *backend, pool);
    const std::vector<Parameter> all = parameters(model);
    for (size_t i = 0; i < all.size(); ++i) {
      const bool table = all[i].role == ParameterRole::embedding;
      const int64_t rows = config.vocabulary_size - 1;  // <pad> is a constant
      expect_gradient(
          all[i].name, table ? all[i].tensor.slice(0, rows) : all[i].tensor,
          table ? gradients[i].slice(0, rows) : gradients[i],
          [&] { return loss(model, *backend, pool); }, 12);
    }
  }
}

class DecoderAloneOnTargets : public ::testing::TestWithParam<std::string> {};

TEST_P(DecoderAloneOnTargets, LossAndGradientsAreTheReferences) {
  const auto reference = make_reference_backend();
  const auto cpu = make_cpu_backend(GetParam());
  TensorPool pool;
  for (const auto& [name, config] : decoders()) {
    SCOPED_TRACE(name);
    SequenceModel model = random_model(config, 3);
    const double expected = loss(model, *reference, pool);
    const std::vector<Tensor> expected_gradients = gradients_of_texts(model, *reference, pool);
    pack(model, *cpu, Purpose::training);
    EXPECT_NEAR(loss(model, *cpu, pool), expected, 1e-4 * expected);
    const std::vector<Tensor> gradients = gradients_of_texts(model, *cpu, pool);
    double difference = 0, norm = 0;
    for (size_t i = 0; i < gradients.size(); ++i) {
      const auto got = gradients[i].span<float>(), right = expected_gradients[i].span<float>();
      for (size_t k = 0; k < got.size(); ++k) {
        difference += double(got[k] - right[k]) * double(got[k] - right[k]);
        norm += double(right[k]) * double(right[k]);
      }
    }
    EXPECT_LE(difference, 1e-8 * norm);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, DecoderAloneOnTargets,
                         ::testing::ValuesIn(testing::cpu_targets()),
                         [](const auto& info) { return info.param; });

TEST(DecoderAloneTest, ADirectoryHoldsIt) {
  const testing::TemporaryFolder folder;
  const auto backend = make_reference_backend();
  TensorPool pool;
  for (const auto& [name, config] : decoders()) {
    SCOPED_TRACE(name);
    SequenceModel model = random_model(config, 3);
    save_model(folder / "model", model);
    const SequenceModel loaded = load_model(folder / "model");
    EXPECT_EQ(loaded.config(), model.config());
    EXPECT_EQ(loss(loaded, *backend, pool), loss(model, *backend, pool));
    save_model(folder / "model", model, DType::int8);
    EXPECT_EQ(load_model(folder / "model").config(), model.config());
  }
}

TEST(DecoderAloneTest, ItsDirectoryIsNoTranslator) {
  const testing::TemporaryFolder folder;
  SequenceModel model = random_model(decoder_alone(), 3);
  save_model(folder / "model", model);
  EXPECT_EQ(read_config(folder / "model").encoder_layers, 0);
  try {
    read_translator_config(folder / "model");
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasFacts((folder / "model").string() + " encoder_layers is 0"));
  }
}

TEST(DecoderAloneTest, ACloneHasTheSameValues) {
  const auto backend = make_reference_backend();
  TensorPool pool;
  for (const auto& [name, config] : decoders()) {
    const SequenceModel model = random_model(config, 3);
    EXPECT_EQ(loss(model.clone(), *backend, pool), loss(model, *backend, pool)) << name;
  }
}

TEST(DecoderAloneTest, ASourceIsABug) {
  PairBatch batch;
  EXPECT_THROW(batch.add(std::vector<TokenId>{3}, std::vector<TokenId>{4}, decoder_alone()), Bug);
  const auto backend = make_reference_backend();
  TensorPool pool;
  ForwardPass pass(*backend, pool);
  EXPECT_THROW(random_model(decoder_alone(), 1).encode(pass, one_sequence(std::vector<TokenId>{3})),
               Bug);
}

}  // namespace
}  // namespace heed
