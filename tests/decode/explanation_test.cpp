#include "heed/decode/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "heed/decode/translator.h"
#include "support/small_translator_test.h"

namespace heed {
namespace {

class ExplanationTest : public testing::SmallTranslatorTest {};

std::vector<DecodeOptions> kinds_of_search() {
  std::vector<DecodeOptions> all(4);
  all[1].search.nbest = 4;
  all[2].search.sample = true;
  all[2].search.nbest = 3;
  all[3].search.max_length = 3;  // unfinished
  for (DecodeOptions& options : all) {
    options.attention = true;
    options.search.extra_length = 4;
  }
  return all;
}

TEST_F(ExplanationTest, TheTranslationIsThatOfTheTranslator) {
  const std::vector<std::string> lines = {
      "the dog",    "",    "老师买了三本书。",
      "a \xff fox", "   ", std::string(200, 'a') + ". " + std::string(90, 'b')};
  for (const DecodeOptions& options : kinds_of_search()) {
    const Translator translator({{model_, *backend_}, tokenizers_}, options);
    const std::vector<Translation> expected = translator.translate(lines);
    for (size_t i = 0; i < lines.size(); ++i) {
      const Explanation got = explain(parts(), lines[i], options, int64_t(i));
      const Translation& translation = got.translation;
      EXPECT_EQ(translation.line, int64_t(i));
      EXPECT_EQ(translation.status.text(), expected[i].status.text());
      EXPECT_EQ(translation.source_pieces, expected[i].source_pieces);
      ASSERT_EQ(translation.hypotheses.size(), expected[i].hypotheses.size());
      for (size_t j = 0; j < translation.hypotheses.size(); ++j) {
        EXPECT_EQ(translation.hypotheses[j].text, expected[i].hypotheses[j].text);
        EXPECT_EQ(translation.hypotheses[j].score, expected[i].hypotheses[j].score);
        EXPECT_EQ(translation.hypotheses[j].attention, expected[i].hypotheses[j].attention);
      }
      EXPECT_EQ(got.parts.empty(), translation.status.empty);
      EXPECT_EQ(got.parts.size() > 1, translation.status.split);
    }
  }
}

TEST_F(ExplanationTest, APartHasThePiecesAndNumbersOfTheBestTranslation) {
  for (const DecodeOptions& options : kinds_of_search()) {
    const Explanation all = explain(parts(), {"the quick fox"}, options);
    ASSERT_EQ(all.parts.size(), 1u);
    const PartExplanation& part = all.parts[0];
    const TextHypothesis& best = all.translation.hypotheses[0];
    std::vector<std::string> pieces = best.pieces;
    if (part.ended) pieces.emplace_back("</s>");
    EXPECT_EQ(part.ended, !all.translation.status.unfinished);
    EXPECT_EQ(part.attention.target_pieces, pieces);
    EXPECT_EQ(part.attention.source_pieces, all.translation.source_pieces);
    EXPECT_EQ(part.log_probabilities, best.log_probabilities);
    const ModelConfig& config = model_.config();
    const auto sources = int64_t(part.attention.source_pieces.size()),
               targets = int64_t(pieces.size());
    EXPECT_EQ(part.attention.cross.shape(),
              (Shape{config.decoder_layers, config.heads, targets, sources}));
    EXPECT_EQ(part.attention.decoder.shape(),
              (Shape{config.decoder_layers, config.heads, targets, targets}));
    EXPECT_EQ(part.alignment, aligned_pairs(all.translation, best, AlignmentUnit::words));

    ASSERT_EQ(part.results.size(), all.translation.hypotheses.size());
    EXPECT_EQ(part.search.nodes.at(size_t(part.results[0])).sum,
              std::accumulate(part.log_probabilities.begin(), part.log_probabilities.end(), 0.0));
    for (size_t i = 0; i < part.results.size(); ++i)
      EXPECT_EQ(part.search.nodes.at(size_t(part.results[i])).score,
                all.translation.hypotheses[i].score);
    ASSERT_EQ(part.likeliest.size(), pieces.size());
    for (size_t i = 0; i < pieces.size(); ++i) {
      ASSERT_EQ(int64_t(part.likeliest[i].size()), SearchTrace::kLikeliest);
      EXPECT_LE(part.log_probabilities[i], part.likeliest[i][0].log_probability);
      for (const auto& [id, log_probability] : part.likeliest[i]) {
        if (tokenizers_.target().pieces(std::vector<TokenId>{id})[0] != pieces[i]) continue;
        EXPECT_NEAR(log_probability, part.log_probabilities[i], 1e-6);
      }
    }
  }
}

TEST_F(ExplanationTest, AForcedPrefixIsPartOfTheSearch) {
  const Explanation all = explain(parts(), {"the dog", "a fox jumps"}, DecodeOptions());
  const PartExplanation& part = all.parts.at(0);
  EXPECT_TRUE(all.translation.hypotheses[0].text.starts_with("a fox jumps"));
  EXPECT_EQ(part.search.nodes.at(0).fate, HypothesisFate::forced);
  EXPECT_EQ(part.likeliest.size(), part.attention.target_pieces.size());
}

}  // namespace
}  // namespace heed
