#include "heed/tasks/rerank_tuning.h"

#include <gtest/gtest.h>

#include <random>

namespace heed {
namespace {

// Statistics of a hypothesis of ten words with this many right ones.
BleuStatistics right_words(int64_t right, int64_t words = 10) {
  BleuStatistics statistics{words, 10};
  for (int n = 0; n < kBleuOrder; ++n) {
    statistics.totals[size_t(n)] = std::max<int64_t>(0, words - n);
    statistics.matches[size_t(n)] = std::max<int64_t>(0, std::min(right, words) - n);
  }
  return statistics;
}

// Lists whose features are drawn, and whose quality follows the language model and the length.
std::vector<TuningList> drawn_lists(uint32_t seed) {
  std::mt19937 random(seed);
  const auto draw = [&] { return double(random() % 1000) / 100; };
  std::vector<TuningList> lists(40);
  for (TuningList& list : lists)
    for (int i = 0; i < 6; ++i) {
      const double model = -draw(), language = -draw();
      const auto words = int64_t(8 + random() % 4);
      const auto right = int64_t(std::max(0.0, 10 + 0.3 * model + 0.6 * language));
      list.features.push_back({{model, 0, language, double(words)}});
      list.statistics.push_back(right_words(right, words));
    }
  return lists;
}

TEST(RerankTuning, IsNoWorseThanAGrid) {
  const std::vector<RerankFeature> tuned{RerankFeature::language, RerankFeature::length};
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    const std::vector<TuningList> lists = drawn_lists(seed);
    const TunedWeights found = tune_rerank_weights(lists, tuned);
    double best_of_language = 0;
    for (double language = 0; language <= 4; language += 0.01)
      best_of_language = std::max(best_of_language, bleu_of_reranked(lists, {1, 0, language, 0}));
    EXPECT_GE(found.bleu, best_of_language - 1e-9) << seed;
    EXPECT_GT(found.bleu, bleu_of_reranked(lists, {1, 0, 0, 0})) << seed;
    EXPECT_EQ(found.bleu, bleu_of_reranked(lists, found.weights)) << seed;
    EXPECT_EQ(found.weights[size_t(RerankFeature::model)], 1);
    EXPECT_EQ(found.weights[size_t(RerankFeature::reverse)], 0);
  }
}

TEST(RerankTuning, OneWeightIsTheBestOfAll) {
  const std::vector<RerankFeature> tuned{RerankFeature::length};
  for (uint32_t seed = 6; seed <= 9; ++seed) {
    const std::vector<TuningList> lists = drawn_lists(seed);
    double best = 0;
    for (double length = -4; length <= 4; length += 0.001)
      best = std::max(best, bleu_of_reranked(lists, {1, 0, 0, length}));
    EXPECT_GE(tune_rerank_weights(lists, tuned).bleu, best - 1e-9) << seed;
  }
}

TEST(RerankTuning, WithoutFeaturesTheModelAloneDecides) {
  const std::vector<TuningList> lists = drawn_lists(3);
  const TunedWeights found = tune_rerank_weights(lists, {});
  EXPECT_EQ(found.weights, (RerankValues{1, 0, 0, 0}));
  EXPECT_EQ(found.bleu, bleu_of_reranked(lists, {1, 0, 0, 0}));
}

TEST(RerankTuning, AListWithoutScoresKeepsItsFirst) {
  std::vector<TuningList> lists = drawn_lists(4);
  for (HypothesisFeatures& hypothesis : lists[0].features) hypothesis.is_scored = false;
  lists[0].statistics[0] = right_words(10);
  const TunedWeights found = tune_rerank_weights(lists, std::vector{RerankFeature::language});
  EXPECT_EQ(found.bleu, bleu_of_reranked(lists, found.weights));
  lists.erase(lists.begin());
  EXPECT_LT(bleu_of_reranked(lists, found.weights), found.bleu);
}

}  // namespace
}  // namespace heed
