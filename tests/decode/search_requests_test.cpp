// Sentences of one search with options of their own, cancelled and looked at in the middle.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "heed/model/sequence_model.h"
#include "search_fixture.h"

namespace heed {
namespace {

using testing::backends;
using testing::computing_name;
using testing::sources;

class SearchRequestsTest : public testing::SearchTest {
 protected:
  // Requests with every kind of options, with ids 0, 1, ...
  static std::vector<SearchRequest> requests() {
    std::vector<SearchOptions> all(9);
    all[1].beam = 1;
    all[2].beam = 6, all[2].nbest = 3, all[2].length_penalty = 1.5;
    all[3].beam = 4, all[3].beam_groups = 2, all[3].nbest = 2;
    all[4].sample = true, all[4].nbest = 3;
    all[5].sample = true, all[5].top_k = 3, all[5].seed = 9;
    all[6].sample = true, all[6].top_p = 0.7, all[6].temperature = 2;
    all[7].no_repeat_ngram_size = 1, all[7].min_length = 5;
    all[8].max_length = 4, all[8].beam = 2;
    std::vector<SearchRequest> requests;
    for (const std::vector<TokenId>& source : sources(36, 21)) {
      SearchRequest& request = requests.emplace_back();
      request.request_id = int64_t(requests.size()) - 1;
      request.source = source;
      request.options = all[size_t(request.request_id) % all.size()];
      if (request.options.max_length == 0) request.options.extra_length = 9;
      if (request.request_id % 5 == 0) request.prefix = {3, 7};
    }
    return requests;
  }

  std::vector<SearchResult> results_alone(const std::vector<SearchRequest>& requests) {
    std::vector<SearchResult> all;
    for (const SearchRequest& r : requests)
      all.push_back(testing::search(model_, *backend_, r.options, {r.source}, {r.prefix})[0]);
    return all;
  }

  // Runs all requests in one search, calling each_step() after every step with the steps done.
  template <class F>
  std::map<int64_t, SearchResult> run(const std::vector<SearchRequest>& requests,
                                      int64_t batch_tokens, F&& each_step) {
    Search batch(make_steps({model_, *backend_}), *backend_,
                 {.hypotheses = 6, .batch_tokens = batch_tokens});
    std::map<int64_t, SearchResult> all;
    std::vector<SearchResult> finished;
    size_t next = 0;
    for (int64_t steps = 0; next < requests.size() || batch.running() > 0; ++steps) {
      for (; next < requests.size() &&
             batch.has_room(int64_t(requests[next].source.size()), requests[next].options,
                            int64_t(requests[next].prefix.size()));
           ++next)
        batch.add(requests[next]);
      each_step(batch, steps);
      batch.step(finished);
      for (SearchResult& result : finished) all[result.request_id] = std::move(result);
      finished.clear();
    }
    return all;
  }

  static void expect_equal(const SearchResult& a, const SearchResult& b) {
    ASSERT_EQ(a.hypotheses.size(), b.hypotheses.size());
    for (size_t n = 0; n < a.hypotheses.size(); ++n) {
      EXPECT_EQ(a.hypotheses[n].ids, b.hypotheses[n].ids);
      EXPECT_EQ(a.hypotheses[n].score, b.hypotheses[n].score);
      EXPECT_EQ(a.hypotheses[n].log_probability, b.hypotheses[n].log_probability);
      EXPECT_EQ(a.hypotheses[n].ended, b.hypotheses[n].ended);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, SearchRequestsTest, ::testing::ValuesIn(backends()),
                         computing_name);

TEST_P(SearchRequestsTest, MixedOptionsGiveWhatEachGivesAlone) {
  const auto all = requests();
  const auto alone = results_alone(all);
  for (const int64_t batch_tokens : {1, 60, 5000}) {
    const auto together = run(all, batch_tokens, [](Search&, int64_t) {});
    ASSERT_EQ(together.size(), all.size());
    for (size_t i = 0; i < all.size(); ++i) expect_equal(together.at(int64_t(i)), alone[i]);
  }
}

TEST_P(SearchRequestsTest, CancelledSentencesChangeNoOther) {
  const auto all = requests();
  const auto alone = results_alone(all);
  for (const int64_t batch_tokens : {60, 5000}) {
    std::vector<int64_t> cancelled;
    const auto rest = run(all, batch_tokens, [&](Search& batch, int64_t step) {
      // Some before their first step, others in the middle; some are finished already.
      for (int64_t id = step; id < int64_t(all.size()); id += 4)
        if (id % 3 == 0 && batch.cancel(id)) cancelled.push_back(id);
    });
    EXPECT_GT(cancelled.size(), 4u);
    EXPECT_EQ(rest.size() + cancelled.size(), all.size());
    for (const int64_t id : cancelled) EXPECT_EQ(rest.count(id), 0u);
    for (const auto& [id, result] : rest) expect_equal(result, alone[size_t(id)]);
  }
}

TEST_P(SearchRequestsTest, LogProbabilitiesAreThoseOfEachToken) {
  for (const SearchRequest& request : requests()) {
    const auto alone = results_alone({request});
    for (const Hypothesis& h : alone[0].hypotheses) {
      ASSERT_EQ(h.log_probabilities.size(), h.ids.size() + (h.ended ? 1 : 0));
      double sum = 0;
      for (const double each : h.log_probabilities) sum += each;
      EXPECT_EQ(sum, h.log_probability);
      std::vector<TokenId> before;
      for (size_t i = 0; i < h.log_probabilities.size(); ++i) {
        const TokenId id = i < h.ids.size() ? h.ids[i] : 0;
        EXPECT_NEAR(h.log_probabilities[i], next(model_, request.source, before)[size_t(id)], 1e-3);
        before.push_back(id);
      }
    }
  }
}

TEST_P(SearchRequestsTest, ASentenceHasRowsForItsOwnHypothesesOnly) {
  SearchOptions options;
  options.max_length = 30;
  // 120 positions of 6 hypotheses.
  for (const auto& [beam, expected] : std::map<int64_t, int64_t>{{1, 24}, {3, 8}, {6, 4}}) {
    options.beam = beam;
    Search batch(make_steps({model_, *backend_}), *backend_, {.hypotheses = 6, .batch_tokens = 60});
    int64_t count = 0;
    for (; batch.has_room(1, options); ++count) batch.add({count, {0}, {}, options});
    EXPECT_EQ(count, expected);
    std::vector<SearchResult> finished;
    while (batch.running() > 0) batch.step(finished);
    EXPECT_EQ(int64_t(finished.size()), expected);
  }
}

TEST_P(SearchRequestsTest, AStepHasNoMoreRowsThanItsLimit) {
  SearchOptions options;
  options.beam = 6;
  options.max_length = 4;
  Search batch(make_steps({model_, *backend_}), *backend_, {.hypotheses = 6, .batch_tokens = 60});
  int64_t count = 0;
  for (; batch.has_room(1, options); ++count) batch.add({count, {0}, {}, options});
  EXPECT_EQ(count, 10) << "60 rows, each sentence with 6";
  EXPECT_TRUE(batch.cancel(0));
  EXPECT_TRUE(batch.has_room(1, options, 5));
  EXPECT_FALSE(batch.has_room(1, options, 6)) << "the prefix, and the token after it";
}

TEST_P(SearchRequestsTest, CancellingFreesTheRoomOfASentence) {
  SearchRequest request{0, {2, 3, 4, 5, 0}, {}, {}};
  Search batch(make_steps({model_, *backend_}), *backend_, {.batch_tokens = 5});
  EXPECT_FALSE(batch.cancel(0));
  std::vector<SearchResult> finished;
  for (int i = 0; i < 200; ++i) {
    batch.add(request);
    EXPECT_FALSE(batch.has_room(1, request.options));
    for (int step = 0; step < i % 4; ++step) batch.step(finished);
    finished.clear();
    const bool unfinished = batch.running() > 0;
    EXPECT_EQ(batch.cancel(0), unfinished);
    EXPECT_EQ(batch.running(), 0);
  }
}

TEST_P(SearchRequestsTest, PartialHypothesesGrowAndChangeNothing) {
  const auto all = requests();
  const auto alone = results_alone(all);
  int64_t seen = 0;
  const auto together = run(all, 5000, [&](Search& batch, int64_t step) {
    for (const SearchRequest& request : all) {
      if (batch.running() < int64_t(all.size()) && step > 0) break;
      const std::vector<Hypothesis> now = batch.partial(request.request_id).hypotheses;
      EXPECT_EQ(now.empty(), step == 0);
      for (const Hypothesis& h : now) {
        ++seen;
        const auto& prefix = request.prefix;
        ASSERT_GE(h.ids.size(), prefix.size());
        EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), h.ids.begin()));
        const auto& results = alone[size_t(request.request_id)].hypotheses;
        const auto& result = results[request.options.sample ? size_t(&h - now.data()) : 0].ids;
        ASSERT_LE(h.ids.size(), result.size());
        EXPECT_TRUE(std::equal(h.ids.begin(), h.ids.end(), result.begin()));
      }
    }
  });
  EXPECT_GT(seen, 0);
  for (size_t i = 0; i < all.size(); ++i) expect_equal(together.at(int64_t(i)), alone[i]);
}

TEST_P(SearchRequestsTest, PartialGreedySearchIsAPrefixOfItsResult) {
  SearchOptions options;
  options.beam = 1;
  options.extra_length = 9;
  const SearchRequest request{7, {4, 5, 9, 0}, {}, options};
  const auto expected = results_alone({request})[0].hypotheses.at(0);
  Search batch(make_steps({model_, *backend_}), *backend_, {});
  batch.add(request);
  std::vector<SearchResult> finished;
  for (size_t length = 1;; ++length) {
    batch.step(finished);
    if (!finished.empty()) break;
    const Hypothesis now = batch.partial(7).hypotheses.at(0);
    EXPECT_FALSE(now.ended);
    EXPECT_EQ(now.ids,
              std::vector<TokenId>(expected.ids.begin(), expected.ids.begin() + ptrdiff_t(length)));
  }
  EXPECT_EQ(finished[0].hypotheses[0].ids, expected.ids);
}

}  // namespace
}  // namespace heed
