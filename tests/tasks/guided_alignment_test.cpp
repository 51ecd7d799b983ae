// The loss of an attention head that is to follow given links.
#include "heed/tasks/guided_alignment.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/model/cross_attention.h"
#include "reference/reference_backend.h"
#include "support/gradients.h"
#include "support/model_gradients.h"
#include "support/small_model.h"

namespace heed {
namespace {

// Two pairs; the second target token of the first is linked to two source tokens.
std::vector<Example> examples() {
  return {{{2, 3, 4}, {5, 6, 7}, {{2, 0}, {0, 1}, {1, 1}}}, {{8}, {9, 3}, {{0, 1}}}, {{4}, {4}}};
}

struct Small {
  explicit Small(const ModelConfig& config) : model(config, DType::fp64) { model.initialize(3); }

  // With a tape, whose backward steps refer to the pass, it runs them.
  Loss loss(const GuidedAlignment& guided, Tape* tape = nullptr, double factor = 1) {
    ForwardPass pass(*backend, pool);
    pass.tape = tape;
    PairBatch batch;
    const std::vector<Example> all = examples();
    for (const Example& pair : all) batch.add(pair.source, pair.target, model.config());
    const Loss loss = guided_loss(model, pass, batch, all, guided, {0.1, factor});
    if (tape) tape->backward();
    return loss;
  }

  std::unique_ptr<Backend> backend = make_reference_backend();
  TensorPool pool;
  SequenceModel model;
};

ModelConfig grouped_config() {
  ModelConfig config = testing::small_config(11);
  config.d_model = 16;
  config.heads = 4;
  config.variants.key_value_heads = 2;
  return config;
}

TEST(GuidedAlignment, LossIsThatOfTheWeightsOfTheHead) {
  for (const ModelConfig& config : {testing::small_config(11), grouped_config()}) {
    for (const DecoderHead head : {DecoderHead{0, 1}, DecoderHead{1, 0}}) {
      Small small(config);
      const Loss loss = small.loss({0.5, head});
      double expected = 0;
      ForwardPass pass(*small.backend, small.pool);
      const std::vector<Example> all = examples();
      for (const Example& pair : all) {
        if (pair.links.empty()) continue;
        std::vector<TokenId> source = pair.source;
        source.push_back(config.end_id());
        const EncoderOutput memory = small.model.encode(pass, one_sequence(source));
        const std::vector<int64_t> layers = {head.layer};
        const Tensor weights =
            cross_attention(small.model, pass, memory, pair.target, layers)[size_t(head.layer)];
        for (const WordLink& link : pair.links) {
          const double share = pair.source.size() == 3 && link.target == 1 ? 0.5 : 1;
          const int64_t row = head.head * weights.dim(1) + link.target + 1;  // the step after it
          expected -= share * std::log(element(weights, row * weights.dim(2) + link.source));
        }
      }
      EXPECT_NEAR(loss.alignment, expected, 1e-9);
      EXPECT_EQ(loss.aligned_tokens, 3);
      EXPECT_EQ(loss.tokens, 9);
    }
  }
}

TEST(GuidedAlignment, GradientsAreThoseOfBothLosses) {
  constexpr double kWeight = 0.7, kFactor = 0.25;
  std::vector<ModelConfig> configs = {testing::small_config(11), grouped_config()};
  configs.push_back(testing::small_config(11));
  configs.back().variants.attention = ScoreFunction::cosine;
  for (ModelConfig& config : configs) {
    config.variants = config.variants.normalized(config.d_model, config.heads);
    Small small(config);
    const GuidedAlignment guided{kWeight, {0, 1}};
    const auto total = [&](Tape* tape) {
      const Loss loss = small.loss(guided, tape, kFactor);
      return kFactor * (loss.smoothed + kWeight * loss.alignment);
    };
    const std::vector<Tensor> gradients = testing::model_gradients(
        small.model, *small.backend, small.pool, [&](Tape& tape) { total(&tape); });
    const std::vector<Parameter> all = parameters(small.model);
    for (size_t i = 0; i < all.size(); ++i) {
      const bool table = all[i].role == ParameterRole::embedding;
      const int64_t rows = config.vocabulary_size - 1;  // <pad> is a constant
      testing::expect_gradient(
          all[i].name, table ? all[i].tensor.slice(0, rows) : all[i].tensor,
          table ? gradients[i].slice(0, rows) : gradients[i], [&] { return total(nullptr); }, 12);
    }
  }
}

TEST(GuidedAlignment, ExamplesWithoutLinksHaveThePlainLoss) {
  Small small(testing::small_config(11));
  ForwardPass pass(*small.backend, small.pool);
  PairBatch batch;
  std::vector<Example> all = examples();
  for (Example& pair : all) {
    pair.links.clear();
    batch.add(pair.source, pair.target, small.model.config());
  }
  const LossOptions options{0.1, 1};
  const Loss plain = loss_of(small.model, pass, batch, options);
  const Loss guided = guided_loss(small.model, pass, batch, all, {1, {0, 0}}, options);
  EXPECT_EQ(plain.smoothed, guided.smoothed);
  EXPECT_EQ(guided.aligned_tokens, 0);
}

TEST(GuidedAlignment, TeachesTheLayerThatAlignsBest) {
  ModelConfig config = testing::small_config(11);
  EXPECT_EQ(guided_head(config), (DecoderHead{1, 0}));
  config.decoder_layers = 6;
  EXPECT_EQ(guided_head(config), (DecoderHead{4, 0}));
  config.variants.attention = ScoreFunction::additive;
  EXPECT_THROW(guided_head(config), UsageError);
  config.variants.attention = ScoreFunction::scaled_dot;
  config.variants.attention_reach = "hard";
  EXPECT_THROW(guided_head(config), UsageError);
}

}  // namespace
}  // namespace heed
