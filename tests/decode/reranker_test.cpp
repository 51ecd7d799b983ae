#include "heed/decode/reranker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/sequence_model.h"
#include "support/folder_test.h"
#include "support/small_translator.h"

namespace heed {
namespace {

using ::testing::ElementsAre;

HypothesisFeatures features(double model, double length) {
  return {{model, 0, 0, length}};
}

TEST(Reranked, OrdersByTheWeightedSum) {
  const std::vector<HypothesisFeatures> hypotheses{features(-3, 2), features(-4, 5),
                                                   features(-2, 1), features(-3, 2)};
  EXPECT_THAT(reranked(hypotheses, {1, 0, 0, 0}), ElementsAre(2, 0, 3, 1));
  EXPECT_THAT(reranked(hypotheses, {1, 0, 0, 1}), ElementsAre(1, 0, 2, 3));
  EXPECT_THAT(reranked(hypotheses, {}), ElementsAre(0, 1, 2, 3));
}

TEST(Reranked, PutsThoseWithoutAScoreLast) {
  std::vector<HypothesisFeatures> hypotheses{features(-1, 1), features(-4, 5), features(-2, 1)};
  hypotheses[0].is_scored = false;
  EXPECT_THAT(reranked(hypotheses, {1, 0, 0, 0}), ElementsAre(2, 1, 0));
  for (HypothesisFeatures& hypothesis : hypotheses) hypothesis.is_scored = false;
  EXPECT_THAT(reranked(hypotheses, {1, 0, 0, 0}), ElementsAre(0, 1, 2));
}

class RerankerTest : public FolderTest {
 protected:
  RerankerTest()
      : backend_(make_cpu_backend("", DType::fp32)),
        tokenizers_(testing::character_tokenizers(folder_)),
        model_(testing::random_model(tokenizers_)) {}

  Scorer scorer() const { return {{{model_, *backend_}, tokenizers_}, ScoreOptions()}; }

  std::unique_ptr<Backend> backend_;
  TokenizerPair tokenizers_;
  SequenceModel model_;
};

TEST_F(RerankerTest, FeaturesAreTheScoresOfEachModel) {
  const std::vector<NbestList> lists{{"the fox", {"over", "a dog"}}, {"lazy", {"over"}}};
  // One model is used for both directions, with the sides of each pair exchanged.
  const Reranker reranker(scorer(), scorer());
  EXPECT_TRUE(reranker.has(RerankFeature::reverse));
  EXPECT_FALSE(reranker.has(RerankFeature::language));
  const auto all = reranker.features(lists);
  ASSERT_EQ(all.size(), 2u);
  ASSERT_EQ(all[0].size(), 2u);
  ASSERT_EQ(all[1].size(), 1u);
  const auto score = [&](const std::string& source, const std::string& target) {
    return scorer().score({{source, target}}).front().log_probability;
  };
  const auto tokens = [&](const std::string& text) {
    return double(tokenizers_.target().encode(text).size() + 1);
  };
  EXPECT_THAT(all[0][0].values,
              ElementsAre(score("the fox", "over"), score("over", "the fox"), 0, tokens("over")));
  EXPECT_THAT(all[0][1].values, ElementsAre(score("the fox", "a dog"), score("a dog", "the fox"), 0,
                                            tokens("a dog")));
  EXPECT_THAT(all[1][0].values,
              ElementsAre(score("lazy", "over"), score("over", "lazy"), 0, tokens("over")));
}

TEST_F(RerankerTest, EmptyAndTooLongHypothesesHaveNoScore) {
  // Beside a token for the beginning of the text, and </s>.
  const std::string most(size_t(model_.config().max_positions) - 2, 'a');
  const std::vector<NbestList> lists{{"over", {"", "a", most, most + "a"}}, {"", {"a"}}};
  const auto all = Reranker(scorer()).features(lists);
  EXPECT_FALSE(all[0][0].is_scored);
  EXPECT_TRUE(all[0][1].is_scored);
  EXPECT_TRUE(all[0][2].is_scored);
  EXPECT_FALSE(all[0][3].is_scored);
  EXPECT_FALSE(all[1][0].is_scored);
}

}  // namespace
}  // namespace heed
