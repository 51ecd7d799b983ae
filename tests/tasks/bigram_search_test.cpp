// Searches by a table of bigrams that was trained: beams find what is most likely, samples follow
// the table.
#include <gtest/gtest.h>

#include <map>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/decode/search.h"
#include "heed/train/training_loop.h"
#include "support/bigram.h"

namespace heed {
namespace {

class BigramSearchTest : public ::testing::Test {
 protected:
  BigramSearchTest() {
    Workers workers(2);
    LoopPosition position;
    const testing::Walks walks;
    TrainingLoop loop(task_, walks, {.batches = {.batch_tokens = 200}}, position, *backend_,
                      workers);
    while (position.epoch < 15) loop.step({.learning_rate = 0.05, .step = position.step + 1});
  }

  std::vector<Hypothesis> run(const SearchOptions& options) {
    Search batch(std::make_unique<testing::BigramSteps>(task_, *backend_), *backend_,
                 {.hypotheses = options.hypothesis_count()});
    return search(batch, options, {{}}).front().hypotheses;
  }

  std::unique_ptr<Backend> backend_ = make_cpu_backend("", DType::fp32);
  testing::BigramTask task_;
};

TEST_F(BigramSearchTest, BeamsFindTheMostLikelyWalks) {
  SearchOptions options;
  options.beam = options.nbest = 6;
  options.length_penalty = 0;
  options.max_length = 8;
  const std::vector<Hypothesis> found = run(options);
  ASSERT_EQ(found.size(), 6u);
  double best = 1;
  for (const Hypothesis& h : found) {
    double probability = 1;
    TokenId before = 0;
    for (const TokenId id : h.ids) probability *= task_.probability(std::exchange(before, id), id);
    if (h.ended) probability *= task_.probability(before, 0);
    EXPECT_NEAR(std::exp(h.log_probability), probability, 1e-6);
    EXPECT_LE(probability, best + 1e-6) << "best first";
    best = probability;
  }
  EXPECT_EQ(found[0].ids, std::vector<TokenId>{1}) << "an eighth of all walks";
}

TEST_F(BigramSearchTest, SamplesFollowTheTable) {
  SearchOptions options;
  options.sample = true;
  options.nbest = 1000;
  options.max_length = 20;
  std::map<TokenId, double> after_two;
  double total = 0;
  for (const Hypothesis& h : run(options)) {
    for (size_t i = 0; i < h.ids.size(); ++i) {
      if (h.ids[i] != 2 || (i + 1 == h.ids.size() && !h.ended)) continue;
      ++after_two[i + 1 < h.ids.size() ? h.ids[i + 1] : 0];
      ++total;
    }
  }
  ASSERT_GT(total, 500);
  for (TokenId id = 0; id < testing::kBigramClasses; ++id)
    EXPECT_NEAR(after_two[id] / total, task_.probability(2, id), 0.05) << id;
}

}  // namespace
}  // namespace heed
