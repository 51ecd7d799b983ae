// Searches by recurrent models, on every backend.
#include <gtest/gtest.h>

#include <algorithm>

#include "heed/decode/alignment.h"
#include "search_fixture.h"
#include "support/damage.h"
#include "support/facts.h"

namespace heed {
namespace {

using testing::backends;
using testing::computing_name;
using testing::sources;

class RecurrentSearchTest : public testing::SearchTest {
 protected:
  SequenceModel made(const Variants& variants) {
    ModelConfig config = testing::small_config(12);
    config.heads = 1;
    config.d_ff = 0;
    config.variants = variants;
    config.variants.architecture = Architecture::rnn;
    SequenceModel model = random_model(config, 11);
    model.move_to(backend_->memory());
    pack(model, *backend_, Purpose::inference);
    return model;
  }
  // With and without input feeding, and without attention.
  std::vector<SequenceModel> models() {
    std::vector<SequenceModel> all;
    all.push_back(made({.attention = ScoreFunction::additive}));
    all.push_back(made({.cell = Cell::gru, .input_feeding = Switch::off}));
    all.push_back(made({.cell = Cell::gru, .attention = ScoreFunction::none}));
    return all;
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, RecurrentSearchTest, ::testing::ValuesIn(backends()),
                         computing_name);

TEST_P(RecurrentSearchTest, BeamOneIsGreedy) {
  SearchOptions options;
  options.beam = 1;
  options.max_length = 8;
  for (const SequenceModel& model : models()) {
    for (const std::vector<TokenId>& source : sources(4, 3)) {
      const Hypothesis got = testing::search(model, *backend_, options, {source})[0].hypotheses[0];
      std::vector<TokenId> ids;
      bool ended = false;
      while (!ended && ids.size() < 8) {
        const std::vector<double> all = next(model, source, ids);
        const auto best = std::max_element(all.begin(), all.end());
        EXPECT_EQ(got.log_probabilities[ids.size()], *best) << "step by step and whole differ";
        ended = best == all.begin();
        if (!ended) ids.push_back(TokenId(best - all.begin()));
      }
      EXPECT_EQ(got.ids, ids);
    }
  }
}

// Beams and samples, some with a forced prefix, are those of each sentence alone.
TEST_P(RecurrentSearchTest, NeighboursChangeNothing) {
  const auto texts = sources(20, 5);
  std::vector<std::vector<TokenId>> prefixes = sources(20, 6);
  for (std::vector<TokenId>& prefix : prefixes) prefix.pop_back();
  SearchOptions beams, samples;
  beams.nbest = 3;
  samples.sample = true;
  samples.nbest = 3;
  for (const SequenceModel& model : models())
    for (SearchOptions options : {beams, samples}) {
      options.max_length = 12;
      std::vector<SearchResult> alone;
      for (size_t i = 0; i < texts.size(); ++i)
        alone.push_back(
            testing::search(model, *backend_, options, {texts[i]}, {prefixes[i]}, 1)[0]);
      for (const int64_t batch_tokens : {7, 5000}) {
        const auto together =
            testing::search(model, *backend_, options, texts, prefixes, batch_tokens);
        for (size_t i = 0; i < texts.size(); ++i) {
          ASSERT_EQ(alone[i].hypotheses.size(), together[i].hypotheses.size());
          for (size_t n = 0; n < alone[i].hypotheses.size(); ++n) {
            EXPECT_EQ(alone[i].hypotheses[n].ids, together[i].hypotheses[n].ids);
            EXPECT_EQ(alone[i].hypotheses[n].score, together[i].hypotheses[n].score);
          }
        }
      }
    }
}

TEST_P(RecurrentSearchTest, AlignmentsAreThoseOfThePairAlone) {
  const auto targets = sources(6, 2);
  for (const SequenceModel& model : models()) {
    Aligner aligner({model, *backend_});
    if (model.config().variants.attention == ScoreFunction::none) {
      EXPECT_THAT(testing::error_of([&] {
                    aligner.weights({3, 0}, {{4}});
                  }),
                  HasFacts("no attention"));
      continue;
    }
    for (const auto& source : sources(3, 3)) {
      const auto together = aligner.weights(source, targets);
      for (size_t n = 0; n < targets.size(); ++n) {
        EXPECT_EQ(together[n], Aligner({model, *backend_}).weights(source, {targets[n]})[0]);
        for (const AttentionRow& row : together[n]) {
          ASSERT_EQ(row.weights.size(), source.size());
          double sum = 0;
          for (const float weight : row.weights) sum += double(weight);
          EXPECT_NEAR(sum, 1, 1e-5);
        }
      }
    }
  }
}

// The captured weights of a batch of sequences of different lengths are those of each alone.
TEST_P(RecurrentSearchTest, AttentionOfABatchIsThatOfEachPair) {
  const auto texts = sources(4, 8), targets = sources(4, 9);
  for (const SequenceModel& model : models()) {
    if (model.config().variants.attention == ScoreFunction::none) continue;
    ForwardPass pass(*backend_, pool_);
    const auto captured_of = [&](size_t begin, size_t end) {
      Tokens from, to;
      for (size_t i = begin; i < end; ++i) from.add(texts[i]), to.add(targets[i]);
      CapturedAttention captured;
      captured.request(AttentionSite::cross, 0);
      model.decode(pass, to, model.encode(pass, from), &captured);
      return captured;
    };
    const CapturedAttention all = captured_of(0, texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      const Tensor together = to_host(all.at(AttentionSite::cross, 0).of_sequence(int64_t(i)));
      const CapturedAttention one = captured_of(i, i + 1);
      const Tensor alone = to_host(one.at(AttentionSite::cross, 0).of_sequence(0));
      ASSERT_EQ(together.shape(), alone.shape());
      EXPECT_TRUE(std::ranges::equal(together.span<float>(), alone.span<float>()));
    }
  }
}

}  // namespace
}  // namespace heed
