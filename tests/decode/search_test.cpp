#include "heed/decode/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "heed/model/sequence_model.h"
#include "search_fixture.h"
#include "support/overflow.h"

namespace heed {
namespace {

using testing::backends;
using testing::computing_name;
using testing::SearchTest;
using testing::sources;

INSTANTIATE_TEST_SUITE_P(Backends, SearchTest, ::testing::ValuesIn(backends()), computing_name);

TEST_P(SearchTest, BeamOneIsGreedy) {
  SearchOptions options;
  options.beam = 1;
  options.extra_length = 6;
  for (const auto& source : sources(6, 3)) {
    const Hypothesis got = testing::search(model_, *backend_, options, {source})[0].hypotheses[0];
    std::vector<TokenId> ids;
    double sum = 0;
    bool ended = false;
    while (!ended && int64_t(ids.size()) < int64_t(source.size()) + 6) {
      const std::vector<double> all = next(model_, source, ids);
      const auto best = std::max_element(all.begin(), all.end());
      sum += *best;
      ended = best == all.begin();
      if (!ended) ids.push_back(TokenId(best - all.begin()));
    }
    EXPECT_EQ(got.ids, ids);
    EXPECT_EQ(got.ended, ended);
    EXPECT_EQ(got.log_probability, sum) << "cached and whole-prefix decoding differ in bits";
  }
}

TEST_P(SearchTest, AWideBeamIsExhaustiveSearch) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SequenceModel model(testing::small_config(5));  // </s>, <unk>, two pieces, <pad>
    model.initialize(seed);
    model.move_to(backend_->memory());
    const std::vector<TokenId> source = {2, 3, 3, 0};
    SearchOptions options;
    options.beam = 81;  // prefixes of length 4 over 3 pieces
    options.nbest = 10;
    options.max_length = 4;
    // Every sequence that ends within 4 tokens: others count only if none does.
    std::vector<Hypothesis> all;
    std::vector<Hypothesis> open = {{}};
    for (int64_t length = 1; length <= 4; ++length) {
      std::vector<Hypothesis> longer;
      for (const Hypothesis& c : open) {
        const std::vector<double> p = next(model, source, c.ids);
        for (TokenId id = 0; id < 4; ++id) {
          Hypothesis d = c;
          d.log_probability += p[size_t(id)];
          d.score = d.log_probability / length_penalty(length, 0.6);
          if (id != 0) d.ids.push_back(id);
          (id == 0 ? all : longer).push_back(std::move(d));
        }
      }
      open = std::move(longer);
    }
    std::sort(all.begin(), all.end(),
              [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
    const std::vector<Hypothesis> got =
        testing::search(model, *backend_, options, {source})[0].hypotheses;
    ASSERT_EQ(got.size(), 10u);
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].ids, all[i].ids) << "rank " << i << ", seed " << seed;
      EXPECT_NEAR(got[i].score, all[i].score, 1e-5);
    }
  }
}

// The model begins targets with </s>, as M2M100 does.
TEST_P(SearchTest, TheStartTokenIsTheConfigs) {
  ModelConfig config = testing::small_config(12);
  config.decoder_start = 0;
  SequenceModel model(config);
  model.initialize(11);
  model.move_to(backend_->memory());
  const std::vector<TokenId> source = {2, 3, 0};
  SearchOptions options;
  options.beam = 1, options.max_length = 1;
  const Hypothesis got = testing::search(model, *backend_, options, {source})[0].hypotheses[0];
  const std::vector<double> expected = next(model, source, {});
  EXPECT_EQ(got.log_probability, *std::max_element(expected.begin(), expected.end()));
  EXPECT_NE(expected, next(model_, source, {})) << "the same weights after <pad>";
}

TEST_P(SearchTest, NeighboursAndBatchSizeChangeNothing) {
  const auto texts = sources(40, 5);
  SearchOptions options;
  options.nbest = 3;
  const std::vector<SearchResult> alone = testing::search(model_, *backend_, options, texts, {}, 1);
  for (int64_t batch_tokens : {7, 40, 5000}) {
    auto reversed = texts;
    std::reverse(reversed.begin(), reversed.end());
    const std::vector<SearchResult> together =
        testing::search(model_, *backend_, options, texts, {}, batch_tokens);
    const std::vector<SearchResult> backwards =
        testing::search(model_, *backend_, options, reversed, {}, batch_tokens);
    for (size_t i = 0; i < texts.size(); ++i) {
      for (const SearchResult* other : {&together[i], &backwards[texts.size() - 1 - i]}) {
        ASSERT_EQ(alone[i].hypotheses.size(), other->hypotheses.size());
        for (size_t n = 0; n < alone[i].hypotheses.size(); ++n) {
          EXPECT_EQ(alone[i].hypotheses[n].ids, other->hypotheses[n].ids);
          EXPECT_EQ(alone[i].hypotheses[n].score, other->hypotheses[n].score);
        }
      }
    }
  }
}

TEST_P(SearchTest, ASearchCanBeUsedAgain) {
  SearchOptions options;
  options.max_length = 8;
  const auto first = sources(5, 1), second = sources(7, 2);
  Search batch(make_steps({model_, *backend_}), *backend_,
               {.hypotheses = options.hypothesis_count(), .batch_tokens = 16});
  search(batch, options, first);
  const auto got = search(batch, options, second),
             fresh = testing::search(model_, *backend_, options, second);
  ASSERT_EQ(got.size(), fresh.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].hypotheses[0].ids, fresh[i].hypotheses[0].ids);
    EXPECT_EQ(got[i].hypotheses[0].log_probability, fresh[i].hypotheses[0].log_probability);
  }
  batch.add({.request_id = 1, .source = {2, 0}, .options = options});
  EXPECT_THROW(search(batch, options, first), Bug) << "with an unfinished sentence";
}

TEST_P(SearchTest, BatchTokensBoundWhatIsTakenIn) {
  SearchOptions options;
  options.extra_length = 0;
  for (const int64_t batch_tokens : {10, 11}) {
    Search batch(make_steps({model_, *backend_}), *backend_, {.batch_tokens = batch_tokens});
    batch.add({0, {2, 3, 4, 5, 6, 0}, {}, options});
    EXPECT_TRUE(batch.has_room(4, options));
    EXPECT_EQ(batch.has_room(5, options), batch_tokens == 11);
    batch.cancel(0);
    EXPECT_TRUE(batch.has_room(5, options));
  }
}

TEST_P(SearchTest, ThePenaltyIsWhatScoresAreDividedBy) {
  SearchOptions options;
  for (const double alpha : {0.0, 0.6, 2.0}) {
    options.length_penalty = alpha;
    for (const SearchResult& found : testing::search(model_, *backend_, options, sources(5, 9))) {
      const Hypothesis& best = found.hypotheses[0];
      const int64_t length = int64_t(best.ids.size()) + (best.ended ? 1 : 0);
      EXPECT_DOUBLE_EQ(best.score, best.log_probability / length_penalty(length, alpha));
    }
  }
}

// At a high length penalty those without </s>, which are longest, have the best scores.
TEST_P(SearchTest, AnEndedHypothesisComesBeforeOthers) {
  SearchOptions options;
  options.beam = options.nbest = 30;
  options.max_length = 4;
  options.length_penalty = 5;
  int64_t ended = 0;
  for (const SearchResult& found : testing::search(model_, *backend_, options, sources(40, 9))) {
    const auto& all = found.hypotheses;
    const auto has_ended = [](const Hypothesis& h) { return h.ended; };
    if (!std::any_of(all.begin(), all.end(), has_ended)) continue;
    ++ended;
    EXPECT_TRUE(std::all_of(all.begin(), all.end(), has_ended));
  }
  EXPECT_GT(ended, 0);
}

TEST_P(SearchTest, LengthsAreKept) {
  SearchOptions options;
  options.min_length = 5;
  options.max_length = 6;
  for (const SearchResult& found : testing::search(model_, *backend_, options, sources(20, 9))) {
    const Hypothesis& best = found.hypotheses[0];
    EXPECT_GE(best.ids.size(), 5u);
    EXPECT_LE(best.ids.size(), 6u);
    EXPECT_EQ(best.ended, best.ids.size() == 5);
  }
}

TEST_P(SearchTest, AModelThatOverflowsIsAnError) {
  std::vector<SearchOptions> all(7);
  all[1].beam = 1;
  all[2].beam = 30;
  all[3].beam_groups = 2;
  for (size_t i = 4; i < all.size(); ++i) all[i].sample = true;
  all[5].top_k = 3;
  all[6].top_p = 0.9;
  for (const std::string part : {"encoder", "decoder"}) {
    SequenceModel model(model_.config());
    model.initialize(11);
    testing::make_overflow(model, part);
    model.move_to(backend_->memory());
    pack(model, *backend_, Purpose::inference);
    for (const SearchOptions& options : all)
      EXPECT_THROW(testing::search(model, *backend_, options, sources(3, 9)), Error)
          << part << options.beam_size() << options.sample;
  }
}

TEST_P(SearchTest, OptionsOutOfRangeAreNamed) {
  SearchOptions options;
  options.nbest = 5;
  EXPECT_THROW(testing::search(model_, *backend_, options, {}), UsageError);
  options = {};
  options.beam = 0;
  EXPECT_THROW(testing::search(model_, *backend_, options, {}), UsageError);
  options = {};
  options.length_penalty = -1;
  EXPECT_THROW(testing::search(model_, *backend_, options, {}), UsageError);
}

TEST(LengthPenalty, IsThePapers) {
  EXPECT_DOUBLE_EQ(length_penalty(1, 0.6), 1);
  EXPECT_DOUBLE_EQ(length_penalty(7, 1), 2);
  EXPECT_DOUBLE_EQ(length_penalty(19, 0.5), 2);
}

}  // namespace
}  // namespace heed
