#include "heed/decode/search_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heed/model/sequence_model.h"
#include "search_fixture.h"

namespace heed {
namespace {

using testing::backends;
using testing::computing_name;
using testing::sources;

class SearchTraceTest : public testing::SearchTest {
 protected:
  // Every kind of search.
  static std::vector<SearchOptions> kinds() {
    SearchOptions greedy, beam, groups, samples;
    greedy.beam = 1;
    beam.beam = 4;
    beam.nbest = 3;
    groups.beam = 4;
    groups.beam_groups = 2;
    groups.nbest = 2;
    samples.sample = true;
    samples.nbest = 3;
    std::vector<SearchOptions> all = {greedy, beam, groups, samples};
    for (SearchOptions& options : all) options.extra_length = 3;
    return all;
  }

  // Searches one sentence; `trace` may be null.
  SearchResult run(const SearchOptions& options, const std::vector<TokenId>& source,
                   const std::vector<TokenId>& prefix, SearchTrace* trace) {
    Search batch(make_steps({model_, *backend_}), *backend_,
                 {.hypotheses = options.hypothesis_count()});
    batch.add({7, source, prefix, options, {}, trace});
    std::vector<SearchResult> results;
    while (batch.running() > 0) batch.step(results);
    return results.at(0);
  }

  // The tokens of a node, the first one first.
  static std::vector<TokenId> ids_of(const SearchTrace& trace, int64_t node) {
    std::vector<TokenId> ids;
    for (; node >= 0; node = trace.nodes.at(size_t(node)).parent)
      ids.push_back(trace.nodes[size_t(node)].id);
    std::reverse(ids.begin(), ids.end());
    return ids;
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, SearchTraceTest, ::testing::ValuesIn(backends()),
                         computing_name);

TEST_P(SearchTraceTest, HasTheResultsAndChangesNone) {
  for (const SearchOptions& options : kinds()) {
    for (const auto& source : sources(4, 5)) {
      for (const std::vector<TokenId>& prefix :
           {std::vector<TokenId>{}, std::vector<TokenId>{3, 5}}) {
        SearchTrace trace;
        const SearchResult expected = run(options, source, prefix, nullptr);
        const SearchResult got = run(options, source, prefix, &trace);
        ASSERT_EQ(got.hypotheses.size(), expected.hypotheses.size());
        for (size_t i = 0; i < got.hypotheses.size(); ++i) {
          const Hypothesis& hypothesis = got.hypotheses[i];
          EXPECT_EQ(hypothesis.ids, expected.hypotheses[i].ids);
          EXPECT_EQ(hypothesis.score, expected.hypotheses[i].score);
          EXPECT_EQ(expected.hypotheses[i].node, -1);
          std::vector<TokenId> ids = hypothesis.ids;
          if (hypothesis.ended) ids.push_back(model_.config().end_id());
          ASSERT_EQ(ids_of(trace, hypothesis.node), ids);
          const SearchNode& last = trace.nodes[size_t(hypothesis.node)];
          EXPECT_EQ(last.sum, hypothesis.log_probability);
          EXPECT_EQ(last.log_probability, hypothesis.log_probabilities.back());
          if (hypothesis.ended) {
            EXPECT_EQ(last.fate, HypothesisFate::ended);
            EXPECT_EQ(last.score, hypothesis.score);
          }
        }
      }
    }
  }
}

TEST_P(SearchTraceTest, EveryStepKeepsTheBestOfItsGroup) {
  for (const SearchOptions& options : kinds()) {
    if (options.sample) continue;
    const int64_t size = options.beam_size() / options.beam_groups;
    for (const auto& source : sources(4, 6)) {
      SearchTrace trace;
      run(options, source, {}, &trace);
      // Of each step and group: the lowest sum less penalty kept, the highest dropped.
      std::map<std::pair<size_t, int64_t>, std::vector<double>> kept, dropped;
      for (size_t i = 0; i < trace.nodes.size(); ++i) {
        const SearchNode& node = trace.nodes[i];
        const std::pair step{ids_of(trace, int64_t(i)).size(), node.group};
        ASSERT_LT(node.parent, int64_t(i));
        if (node.parent >= 0) {
          EXPECT_EQ(trace.nodes[size_t(node.parent)].fate, HypothesisFate::kept);
        }
        if (node.fate == HypothesisFate::kept) kept[step].push_back(node.score);
        if (node.fate == HypothesisFate::dropped && node.id != model_.config().end_id())
          dropped[step].push_back(node.score);
      }
      EXPECT_EQ(dropped.empty(), false);
      for (const auto& [step, scores] : kept) {
        EXPECT_LE(int64_t(scores.size()), size);
        if (!dropped.count(step)) continue;
        EXPECT_GE(*std::min_element(scores.begin(), scores.end()),
                  *std::max_element(dropped[step].begin(), dropped[step].end()));
      }
    }
  }
}

TEST_P(SearchTraceTest, HasTheLikeliestTokensAfterEveryHypothesis) {
  for (const SearchOptions& options : kinds()) {
    const std::vector<TokenId> source = sources(3, 8).back();
    SearchTrace trace;
    const std::vector<TokenId> prefix{4, 2};
    run(options, source, prefix, &trace);
    std::set<int64_t> parents;
    for (const SearchNode& node : trace.nodes) parents.insert(node.parent);
    for (const int64_t parent : parents) {
      ASSERT_TRUE(trace.likeliest.count(parent)) << parent;
      const std::vector<TokenLogProbability>& likeliest = trace.likeliest[parent];
      ASSERT_EQ(int64_t(likeliest.size()), SearchTrace::kLikeliest);
      std::vector<double> all = next(model_, source, ids_of(trace, parent));
      for (const auto& [id, log_probability] : likeliest)
        EXPECT_EQ(log_probability, all[size_t(id)]);
      std::sort(all.rbegin(), all.rend());
      for (size_t i = 0; i < likeliest.size(); ++i) EXPECT_EQ(likeliest[i].log_probability, all[i]);
    }
  }
}

}  // namespace
}  // namespace heed
