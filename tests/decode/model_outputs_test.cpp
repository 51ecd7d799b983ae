#include "heed/decode/model_outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/decode/scorer.h"
#include "support/facts.h"
#include "support/small_translator_test.h"

namespace heed {
namespace {

using ::testing::ElementsAre;

class ModelOutputsTest : public testing::SmallTranslatorTest {};

TEST_F(ModelOutputsTest, TheSoftmaxOfTheLogitsIsWhatScorerSays) {
  const std::string source = "the dog", target = "a fox";
  const TargetLogits outputs = logits(parts(), source, target);
  const int64_t columns = model_.config().output_vocabulary_size;
  ASSERT_EQ(outputs.logits.shape(), (Shape{int64_t(outputs.pieces.size()), columns}));
  EXPECT_EQ(outputs.pieces.back(), "</s>");

  const PairScore score =
      Scorer({{model_, *backend_}, tokenizers_}, {}).score({{source, target}}).front();
  ASSERT_EQ(score.pieces, outputs.pieces);
  std::vector<TokenId> labels = tokenizers_.target().encode(target);
  labels.push_back(tokenizers_.target().end_id());
  for (size_t i = 0; i < labels.size(); ++i) {
    const float* row = outputs.logits.data<float>() + int64_t(i) * columns;
    const double most = *std::max_element(row, row + columns);
    double sum = 0;
    for (int64_t c = 0; c < columns; ++c) sum += std::exp(double(row[c]) - most);
    const double log_probability = double(row[labels[i]]) - most - std::log(sum);
    EXPECT_NEAR(log_probability, score.log_probabilities[i], 1e-5) << i;
  }
}

TEST_F(ModelOutputsTest, TheEncodersOutputIsThatOfTheModel) {
  const EncoderStates encoded = encode(parts(), "fox");
  EXPECT_THAT(encoded.pieces, ElementsAre("\u2581", "f", "o", "x", "</s>"));
  ASSERT_EQ(encoded.states.shape(), (Shape{5, model_.config().d_model}));

  std::vector<TokenId> ids = tokenizers_.source().encode("fox");
  ids.push_back(tokenizers_.source().end_id());
  Tokens tokens;
  tokens.add(ids);
  TensorPool pool(backend_->memory());
  ForwardPass pass(*backend_, pool);
  const Tensor expected = to_host(model_.encode(pass, tokens).states);
  EXPECT_TRUE(std::equal(expected.data<float>(), expected.data<float>() + expected.size(),
                         encoded.states.data<float>()));
  EXPECT_EQ(encode(parts(), "").states.shape(), (Shape{1, model_.config().d_model}));
}

TEST_F(ModelOutputsTest, EveryHeadsAttentionSumsToOneAndTheAlignersIsTheirMean) {
  const std::string source = "the dog", target = "a fox";
  const PairAttention all = attention(parts(), source, target);
  const ModelConfig& config = model_.config();
  const auto sources = int64_t(all.source_pieces.size()),
             targets = int64_t(all.target_pieces.size());
  EXPECT_EQ(all.encoder.shape(), (Shape{config.encoder_layers, config.heads, sources, sources}));
  EXPECT_EQ(all.decoder.shape(), (Shape{config.decoder_layers, config.heads, targets, targets}));
  EXPECT_EQ(all.cross.shape(), (Shape{config.decoder_layers, config.heads, targets, sources}));
  for (const Tensor* weights : {&all.encoder, &all.decoder, &all.cross}) {
    const int64_t columns = weights->columns();
    for (int64_t row = 0; row < weights->rows(); ++row) {
      double sum = 0;
      for (int64_t c = 0; c < columns; ++c)
        sum += double(weights->data<float>()[row * columns + c]);
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
  EXPECT_EQ(all.decoder.data<float>()[1], 0) << "the first position attends to itself alone";

  std::vector<TokenId> source_ids = tokenizers_.source().encode(source);
  source_ids.push_back(tokenizers_.source().end_id());
  const AttentionWeights aligned = Aligner({model_, *backend_})
                                       .weights(source_ids, {tokenizers_.target().encode(target)})
                                       .front();
  const int64_t layer = default_alignment_heads(config).heads[0].layer;
  const Tensor heads = all.cross.slice(layer, layer + 1);
  for (size_t i = 0; i < aligned.size(); ++i) {
    for (size_t j = 0; j < aligned[i].weights.size(); ++j) {
      double mean = 0;
      for (int64_t h = 0; h < config.heads; ++h)
        mean += double(heads.data<float>()[(h * targets + int64_t(i)) * sources + int64_t(j)]);
      // Row i of the aligner is of piece i, whose decoder input is the piece before it.
      EXPECT_NEAR(mean / double(config.heads), double(aligned[i].weights[j]), 1e-6);
    }
  }
}

TEST_F(ModelOutputsTest, ATextWithoutPositionsIsAnError) {
  const std::string longer(size_t(model_.config().max_positions), 'a');
  EXPECT_THAT(error_of([&] { encode(parts(), longer); }), HasFacts("source positions"));
  EXPECT_THAT(error_of([&] { logits(parts(), "a", longer); }), HasFacts("target positions"));
  EXPECT_EQ(encode(parts(), "\xff").pieces, encode(parts(), "\uFFFD").pieces);
}

}  // namespace
}  // namespace heed
