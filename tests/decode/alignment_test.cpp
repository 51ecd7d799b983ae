#include "heed/decode/alignment.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "search_fixture.h"
#include "support/overflow.h"

namespace heed {
namespace {

using testing::backends;
using testing::computing_name;
using testing::sources;

class AlignerTest : public testing::SearchTest {};

INSTANTIATE_TEST_SUITE_P(Backends, AlignerTest, ::testing::ValuesIn(backends()), computing_name);

TEST_P(AlignerTest, EveryRowSumsToOneAndDependsOnItsPairAlone) {
  Aligner aligner(model_, *backend_);
  const auto targets = sources(6, 2);
  for (const auto& source : sources(5, 3)) {
    const auto together = aligner.weights(source, targets);
    ASSERT_EQ(together.size(), targets.size());
    for (size_t n = 0; n < targets.size(); ++n) {
      ASSERT_EQ(together[n].size(), targets[n].size());
      EXPECT_EQ(together[n], Aligner(model_, *backend_).weights(source, {targets[n]})[0]);
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
  EXPECT_THROW(Aligner(model_, *backend_).weights({4, 7, 5, 0}, {{8, 3, 6}}), Error);
}

TEST_P(AlignerTest, ReadsTheLastLayerButOneAtTheStepThatPredicts) {
  Aligner aligner(model_, *backend_);
  const std::vector<TokenId> source = {4, 7, 5, 0}, target = {8, 3, 6};
  ForwardPass pass(*backend_, pool_);
  Tokens from, to;
  from.add(source);
  const std::vector<TokenId> input = {model_.config().pad_id(), 8, 3};
  to.add(input);
  const EncoderOutput memory = model_.encode(pass, from);
  ASSERT_EQ(model_.config().decoder_layers, 2);
  CapturedAttention captured;
  for (const int64_t layer : {0, 1}) captured.request(AttentionSite::cross, layer);
  model_.decode(pass, to, memory, &captured);
  const auto expected = captured.at(AttentionSite::cross, 0).mean_over_heads(0);
  EXPECT_NE(expected, captured.at(AttentionSite::cross, 1).mean_over_heads(0));
  const AttentionWeights got = aligner.weights(source, {target})[0];
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(got[i / 4].weights[i % 4], float(expected[i])) << i;
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

const std::string kSpace = "\u2581";

TEST(AlignmentPairs, TakesTheGreatestWeightOfEachPieceOrWord) {
  const std::vector<std::string> from = {kSpace + "ab", "c", kSpace + "d", "</s>"};
  const std::vector<std::string> to = {kSpace + "u", "v", kSpace + "w"};
  // Over pieces the first target word looks most at "ab" and "d", as a word at "abc".
  const AttentionWeights weights =
      rows({{0.4f, 0.2f, 0.1f, 0.3f}, {0.1f, 0.2f, 0.5f, 0.2f}, {0.1f, 0.1f, 0.3f, 0.5f}});
  EXPECT_EQ(alignment_pairs(from, to, weights, AlignmentUnit::tokens), "0-0 2-1 2-2");
  EXPECT_EQ(alignment_pairs(from, to, weights, AlignmentUnit::words), "0-0 1-1");
  EXPECT_EQ(alignment_pairs({}, {"a"}, rows({{}}), AlignmentUnit::words), "");
}

TEST(AlignmentPairs, WordsOfPartsAreCountedOn) {
  const std::vector<std::string> from = {"a", "</s>", "b", "</s>"};
  const AttentionWeights weights = {{0, {1, 0}}, {2, {1, 0}}};
  EXPECT_EQ(alignment_pairs(from, {kSpace + "x", kSpace + "y"}, weights, AlignmentUnit::words),
            "0-0 1-1");
  // Without a space between the parts' translations, one word looks at both parts.
  EXPECT_EQ(alignment_pairs(from, {kSpace + "x", "y"}, {{0, {0.4f, 0.6f}}, {2, {0.5f, 0.5f}}},
                            AlignmentUnit::words),
            "1-0");
  EXPECT_EQ(alignment_pairs(from, {kSpace + "x", kSpace + "y"}, {{0, {0, 1}}, {2, {0, 1}}},
                            AlignmentUnit::words),
            "0-0 1-1")
      << "a word that looks at </s> alone is paired within its part";
}

TEST(AlignmentPairs, TextWithoutSpacesIsPairedByCharacters) {
  // Source characters of one piece are paired together, target characters one by one.
  const std::vector<std::string> from = {kSpace, "我", "今天", "来。", "</s>"};
  const std::vector<std::string> to = {kSpace + "I", kSpace + "come", kSpace + "to", "day", "."};
  const AttentionWeights weights = rows({{0.1f, 0.8f, 0.1f, 0, 0},
                                         {0, 0.1f, 0.2f, 0.7f, 0},
                                         {0, 0.1f, 0.6f, 0.3f, 0},
                                         {0, 0, 0.9f, 0.1f, 0},
                                         {0, 0, 0.5f, 0.3f, 0.2f}});
  EXPECT_EQ(alignment_pairs(from, to, weights, AlignmentUnit::words), "0-0 3-1 4-1 1-2 2-2");
  const std::vector<std::string> back_to = {kSpace + "我", "今天"};
  const std::vector<std::string> back_from = {kSpace + "I", kSpace + "to", "day", "</s>"};
  EXPECT_EQ(alignment_pairs(back_from, back_to, rows({{0.9f, 0, 0.1f, 0}, {0.4f, 0.3f, 0.3f, 0}}),
                            AlignmentUnit::words),
            "0-0 1-1 1-2");
}

// A piece for each byte of a text, as a vocabulary with byte fallback spells characters that it
// lacks.
std::vector<std::string> byte_pieces(const std::string& text) {
  std::vector<std::string> pieces;
  for (const char byte : text) pieces.push_back(fmt::format("<0x{:02X}>", uint8_t(byte)));
  return pieces;
}

// Weights that look from target piece i at source piece looks[i] alone.
AttentionWeights looking_at(const std::vector<size_t>& looks, size_t source_pieces) {
  AttentionWeights weights;
  for (const size_t look : looks) {
    weights.push_back({0, std::vector<float>(source_pieces)});
    weights.back().weights[look] = 1;
  }
  return weights;
}

TEST(AlignmentPairs, CharactersInBytePiecesAreCharacters) {
  // 夏 and 冬 in three bytes each, 好 in a piece.
  std::vector<std::string> chinese = {kSpace};
  for (const std::string& piece : byte_pieces("夏冬")) chinese.push_back(piece);
  chinese.insert(chinese.end(), {"好", "</s>"});
  const std::vector<std::string> english = {kSpace + "summer", kSpace + "winter", kSpace + "good",
                                            "</s>"};
  EXPECT_EQ(alignment_pairs(chinese, {english.begin(), english.end() - 1},
                            looking_at({2, 5, 7}, chinese.size()), AlignmentUnit::words),
            "0-0 1-1 2-2");
  EXPECT_EQ(
      alignment_pairs(english, {chinese.begin(), chinese.end() - 1},
                      looking_at({0, 0, 0, 0, 1, 1, 1, 2}, english.size()), AlignmentUnit::words),
      "0-0 1-1 2-2");
  EXPECT_EQ(alignment_pairs(chinese, {kSpace + "winter"}, looking_at({5}, chinese.size()),
                            AlignmentUnit::tokens),
            "5-0");
}

TEST(AlignmentPairs, WordsAndSpacesInBytePiecesAreWords) {
  // "naïve end": a letter within a word and the space between the words.
  std::vector<std::string> from = {kSpace + "na"};
  for (const std::string& piece : byte_pieces("ï")) from.push_back(piece);
  from.push_back("ve");
  for (const std::string& piece : byte_pieces(kSpace)) from.push_back(piece);
  from.insert(from.end(), {"end", "</s>"});
  EXPECT_EQ(alignment_pairs(from, {kSpace + "x", kSpace + "y", kSpace + "z"},
                            looking_at({2, 5, 7}, from.size()), AlignmentUnit::words),
            "0-0 1-1 1-2");
}

TEST(AlignmentPairs, BrokenBytesAreCountedOnce) {
  // The beginning of a character, and then a whole one: what cannot be read is no text without
  // spaces.
  std::vector<std::string> from = {"好", "<0xE5>", "<0xA4>"};
  for (const std::string& piece : byte_pieces("冬")) from.push_back(piece);
  from.insert(from.end(), {"</s>", "<0xE5>"});
  EXPECT_EQ(alignment_pairs(from, {kSpace + "a", kSpace + "b", kSpace + "c", kSpace + "d"},
                            looking_at({0, 2, 4, 7}, from.size()), AlignmentUnit::words),
            "0-0 1-1 2-2 3-3");
  EXPECT_EQ(
      alignment_pairs({"<0xGH>", "好"}, {kSpace + "a"}, looking_at({1}, 2), AlignmentUnit::words),
      "1-0")
      << "no hexadecimal digits: characters like any";
}

TEST(AlignmentPairs, WordsAmongCharactersStayWhole) {
  // 我 用 Linux 2024 版: five units, of which one has two pieces and one shares a piece.
  const std::vector<std::string> from = {kSpace + "我用", "Lin", "ux",
                                         kSpace + "2024", "版",  "</s>"};
  const AttentionWeights weights = rows({{0.2f, 0.3f, 0.3f, 0.2f, 0, 0}, {0, 0, 0, 0.1f, 0.9f, 0}});
  EXPECT_EQ(alignment_pairs(from, {kSpace + "x", kSpace + "y"}, weights, AlignmentUnit::words),
            "2-0 4-1");
}

}  // namespace
}  // namespace heed
