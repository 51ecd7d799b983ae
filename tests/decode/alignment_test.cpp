#include "heed/decode/alignment.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "search_fixture.h"
#include "support/mean_over_heads.h"
#include "support/overflow.h"

namespace heed {
namespace {

using testing::backends;
using testing::computing_name;
using testing::sources;

class AlignerTest : public testing::SearchTest {};

INSTANTIATE_TEST_SUITE_P(Backends, AlignerTest, ::testing::ValuesIn(backends()), computing_name);

TEST_P(AlignerTest, EveryRowSumsToOneAndDependsOnItsPairAlone) {
  Aligner aligner({model_, *backend_});
  const auto targets = sources(6, 2);
  for (const auto& source : sources(5, 3)) {
    const auto together = aligner.weights(source, targets);
    ASSERT_EQ(together.size(), targets.size());
    for (size_t n = 0; n < targets.size(); ++n) {
      ASSERT_EQ(together[n].size(), targets[n].size());
      EXPECT_EQ(together[n], Aligner({model_, *backend_}).weights(source, {targets[n]})[0]);
      for (const AttentionRow& row : together[n]) {
        double sum = 0;
        ASSERT_EQ(row.weights.size(), source.size());
        for (const float weight : row.weights) sum += double(weight);
        EXPECT_NEAR(sum, 1, 1e-5);
      }
    }
  }
  EXPECT_TRUE(aligner.weights({3, 0}, {{}})[0].empty());
}

TEST_P(AlignerTest, AModelThatOverflowsIsAnError) {
  testing::make_overflow(model_);
  EXPECT_THROW(Aligner({model_, *backend_}).weights({4, 7, 5, 0}, {{8, 3, 6}}), Error);
}

TEST_P(AlignerTest, ReadsTheChosenHeadsAtTheChosenStep) {
  const std::vector<TokenId> source = {4, 7, 5, 0}, target = {8, 3, 6};
  ForwardPass pass(*backend_, pool_);
  Tokens from, to;
  from.add(source);
  const std::vector<TokenId> input = {model_.config().start_id(), 8, 3, 6};
  to.add(input);
  const EncoderOutput memory = model_.encode(pass, from);
  ASSERT_EQ(model_.config().decoder_layers, 2);
  CapturedAttention captured;
  for (const int64_t layer : {0, 1}) captured.request(AttentionSite::cross, layer);
  model_.decode(pass, to, memory, &captured);
  const auto expect_rows = [&](const std::vector<double>& expected, size_t first) {
    const AttentionWeights got = Aligner({model_, *backend_}).weights(source, {target})[0];
    ASSERT_EQ(got.size(), 3u);
    for (size_t i = 0; i < 12; ++i)
      EXPECT_EQ(got[i / 4].weights[i % 4], float(expected[4 * first + i])) << i;
  };
  expect_rows(testing::mean_over_heads(captured.at(AttentionSite::cross, 1).of_sequence(0)),
              0);  // not measured
  model_.set_generation_defaults(
      {.alignment = heads_of_layers(model_.config(), 0, 0, AlignmentStep::following)});
  expect_rows(testing::mean_over_heads(captured.at(AttentionSite::cross, 0).of_sequence(0)), 1);
  model_.set_generation_defaults(
      {.alignment = AlignmentHeads{{{1, 1}}, AlignmentStep::predicting}});
  const Tensor heads = captured.at(AttentionSite::cross, 1).of_sequence(0);
  std::vector<double> second;
  for (int64_t i = heads.size() / heads.dim(0); i < 2 * heads.size() / heads.dim(0); ++i)
    second.push_back(heads.dtype() == DType::fp32 ? double(heads.data<float>()[i])
                                                  : heads.data<double>()[i]);
  expect_rows(second, 0);
  // The mean over two layers.
  model_.set_generation_defaults(
      {.alignment = heads_of_layers(model_.config(), 0, 1, AlignmentStep::predicting)});
  const std::vector<double> first =
      testing::mean_over_heads(captured.at(AttentionSite::cross, 0).of_sequence(0));
  const std::vector<double> last =
      testing::mean_over_heads(captured.at(AttentionSite::cross, 1).of_sequence(0));
  const AttentionWeights got = Aligner({model_, *backend_}).weights(source, {target})[0];
  for (size_t i = 0; i < 12; ++i)
    EXPECT_NEAR(double(got[i / 4].weights[i % 4]), (first[i] + last[i]) / 2, 1e-6);
}

// A translation that ends without </s> may have as many tokens as the model has positions: the step
// after its last token is one too many.
TEST_P(AlignerTest, ATargetOfAllPositionsIsAligned) {
  const std::vector<TokenId> source = {4, 7, 5, 0},
                             target(size_t(model_.config().max_positions), 3);
  for (const AlignmentStep step : {AlignmentStep::predicting, AlignmentStep::following}) {
    model_.set_generation_defaults({.alignment = heads_of_layers(model_.config(), 0, 0, step)});
    EXPECT_EQ(Aligner({model_, *backend_}).weights(source, {target})[0].size(), target.size());
  }
}

TEST(AlignmentHeads, TheDefaultIsTheLastLayerOrThePenultimateOfADeepModel) {
  ModelConfig config;
  config.heads = 2;
  for (const auto& [layers, expected] :
       std::vector<std::pair<int64_t, int64_t>>{{1, 0}, {2, 1}, {3, 2}, {4, 2}, {6, 4}}) {
    config.decoder_layers = layers;
    EXPECT_EQ(default_alignment_heads(config),
              (AlignmentHeads{{{expected, 0}, {expected, 1}}, AlignmentStep::predicting}));
  }
  EXPECT_EQ(to_string(default_alignment_heads(config), config),
            "layer 5 of 6, mean of the 2 heads");
  EXPECT_EQ(to_string({{{0, 1}}, AlignmentStep::following}, config),
            "head 1.2 of 6 layers, at the step after the token");
  EXPECT_EQ(to_string(heads_of_layers(config, 4, 5, AlignmentStep::predicting), config),
            "layers 5, 6 of 6, mean of the 4 heads");
}

// Whole rows, as of a line in one part.
AttentionWeights rows(const std::vector<std::vector<float>>& all) {
  AttentionWeights weights;
  for (const auto& row : all) weights.push_back({0, row});
  return weights;
}

TEST(Append, ARowHasTheSourceTokensOfItsPart) {
  AttentionWeights all;
  detail::append(all, rows({{0.25f, 0.75f}}), 0);
  detail::append(all, {}, 2);  // a part without a translation
  detail::append(all, rows({{1}, {1}}), 4);
  EXPECT_EQ(all, (AttentionWeights{{0, {0.25f, 0.75f}}, {4, {1}}, {4, {1}}}));
}

using Ranges = std::vector<UnitRange>;

TEST(AlignedPairs, TakeTheGreatestWeightOfEachPieceOrWord) {
  const std::vector<std::string> from = {"\u2581ab", "c", "\u2581d", "</s>"};
  const std::vector<std::string> to = {"\u2581u", "v", "\u2581w"};
  // Over pieces the first target word looks most at "ab" and "d", as a word at "abc".
  const AttentionWeights weights =
      rows({{0.4f, 0.2f, 0.1f, 0.3f}, {0.1f, 0.2f, 0.5f, 0.2f}, {0.1f, 0.1f, 0.3f, 0.5f}});
  EXPECT_EQ(pharaoh_text(aligned_pairs(token_units(from), token_units(to), weights)),
            "0-0 2-1 2-2");
  const Ranges from_words = {{0, 1}, {0, 1}, {1, 2}, {}}, to_words = {{0, 1}, {0, 1}, {1, 2}};
  EXPECT_EQ(pharaoh_text(aligned_pairs(from_words, to_words, weights)), "0-0 1-1");
  EXPECT_EQ(pharaoh_text(aligned_pairs({}, {{0, 1}}, rows({{}}))), "");
}

TEST(AlignedPairs, WordsOfPartsAreCountedOn) {
  const Ranges from = {{0, 1}, {}, {1, 2}, {}};
  const AttentionWeights weights = {{0, {1, 0}}, {2, {1, 0}}};
  EXPECT_EQ(pharaoh_text(aligned_pairs(from, {{0, 1}, {1, 2}}, weights)), "0-0 1-1");
  // Without a space between the parts' translations, one word looks at both parts.
  EXPECT_EQ(
      pharaoh_text(aligned_pairs(from, {{0, 1}, {0, 1}}, {{0, {0.4f, 0.6f}}, {2, {0.5f, 0.5f}}})),
      "1-0");
  EXPECT_EQ(pharaoh_text(aligned_pairs(from, {{0, 1}, {1, 2}}, {{0, {0, 1}}, {2, {0, 1}}})),
            "0-0 1-1")
      << "a word that looks at </s> alone is paired within its part";
}

TEST(AlignedPairs, UnitsOfOnePieceArePairedTogether) {
  // "我 今天 来。" and "I come today.": source characters of one piece have one weight.
  const Ranges from = {{0, 1}, {0, 1}, {1, 3}, {3, 5}, {}};
  const AttentionWeights weights = rows({{0.1f, 0.8f, 0.1f, 0, 0},
                                         {0, 0.1f, 0.2f, 0.7f, 0},
                                         {0, 0.1f, 0.6f, 0.3f, 0},
                                         {0, 0, 0.9f, 0.1f, 0},
                                         {0, 0, 0.5f, 0.3f, 0.2f}});
  EXPECT_EQ(pharaoh_text(aligned_pairs(from, {{0, 1}, {1, 2}, {2, 3}, {2, 3}, {2, 3}}, weights)),
            "0-0 3-1 4-1 1-2 2-2");
  EXPECT_EQ(pharaoh_text(aligned_pairs({{0, 1}, {1, 2}, {1, 2}, {}}, {{0, 1}, {1, 3}},
                                       rows({{0.9f, 0, 0.1f, 0}, {0.4f, 0.3f, 0.3f, 0}}))),
            "0-0 1-1 1-2");
}

TEST(AlignedPairs, ATargetPieceWithoutWordsHasNoPair) {
  EXPECT_EQ(pharaoh_text(aligned_pairs({{0, 1}}, {{0, 1}, {}, {2, 3}}, rows({{1}, {1}, {1}}))),
            "0-0 0-2");
}

}  // namespace
}  // namespace heed
