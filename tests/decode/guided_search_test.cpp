// Sampling, forced prefixes, banned n-grams and diverse beam search.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "search_fixture.h"

namespace heed {
namespace {

using testing::backends;
using testing::computing_name;
using testing::sources;

class GuidedSearchTest : public testing::SearchTest {
 protected:
  std::vector<SearchResult> run(const SearchOptions& options,
                                const std::vector<std::vector<TokenId>>& texts,
                                const std::vector<std::vector<TokenId>>& prefixes = {},
                                int64_t batch_tokens = 2048) {
    return testing::search(model_, *backend_, options, texts, prefixes, batch_tokens);
  }

  // The model's log-probability of a whole translation, and its end where it has one.
  double model_score(const std::vector<TokenId>& source, const Hypothesis& hypothesis) {
    double sum = 0;
    for (size_t i = 0; i < hypothesis.ids.size(); ++i)
      sum += next(model_, source,
                  {hypothesis.ids.begin(),
                   hypothesis.ids.begin() + ptrdiff_t(i)})[size_t(hypothesis.ids[i])];
    return hypothesis.ended ? sum + next(model_, source, hypothesis.ids)[0] : sum;
  }

  void expect_equal(const std::vector<SearchResult>& a, const std::vector<SearchResult>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].hypotheses.size(), b[i].hypotheses.size()) << "source " << i;
      for (size_t n = 0; n < a[i].hypotheses.size(); ++n) {
        EXPECT_EQ(a[i].hypotheses[n].ids, b[i].hypotheses[n].ids) << "source " << i;
        EXPECT_EQ(a[i].hypotheses[n].score, b[i].hypotheses[n].score) << "source " << i;
        EXPECT_EQ(a[i].hypotheses[n].ended, b[i].hypotheses[n].ended) << "source " << i;
      }
    }
  }

  // The same alone, together and backwards.
  void expect_alike(const SearchOptions& options, const std::vector<std::vector<TokenId>>& texts,
                    const std::vector<std::vector<TokenId>>& prefixes = {}) {
    const std::vector<SearchResult> alone = run(options, texts, prefixes, 1);
    for (const int64_t batch_tokens : {9, 60, 5000}) {
      expect_equal(alone, run(options, texts, prefixes, batch_tokens));
    }
    auto reversed = texts;
    auto reversed_beginnings = prefixes;
    std::reverse(reversed.begin(), reversed.end());
    std::reverse(reversed_beginnings.begin(), reversed_beginnings.end());
    std::vector<SearchResult> backwards = run(options, reversed, reversed_beginnings);
    std::reverse(backwards.begin(), backwards.end());
    expect_equal(alone, backwards);
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, GuidedSearchTest, ::testing::ValuesIn(backends()),
                         computing_name);

SearchOptions sampling() {
  SearchOptions options;
  options.sample = true;
  options.extra_length = 6;
  return options;
}

using Counts = std::map<std::vector<TokenId>, int64_t>;

TEST_P(GuidedSearchTest, SamplesAreDistributedAsTheModelSays) {
  // Translations of at most two tokens, </s> included: 1 + 10 * 11 of them.
  SearchOptions options = sampling();
  options.max_length = 2;
  options.nbest = 1024;
  const std::vector<TokenId> source = {4, 5, 9, 0};
  Counts counts;
  int64_t drawn = 0;
  for (int64_t seed = 0; seed < 4; ++seed) {
    options.seed = seed;
    const std::vector<SearchResult> found = run(options, {source});
    for (const Hypothesis& c : found[0].hypotheses) {
      std::vector<TokenId> whole = c.ids;
      if (c.ended) whole.push_back(0);
      ++counts[whole];
      ++drawn;
    }
  }
  ASSERT_EQ(drawn, 4096);
  double chi_square = 0, degrees = -1, rest_expected = 0, rest_seen = 0;
  const auto cell = [&](const std::vector<TokenId>& ids, double probability) {
    const double expected = probability * double(drawn), seen = double(counts[ids]);
    if (expected < 8) {
      rest_expected += expected, rest_seen += seen;
      return;
    }
    chi_square += (seen - expected) * (seen - expected) / expected;
    ++degrees;
  };
  const std::vector<double> first = next(model_, source, {});
  for (TokenId a = 0; a < 11; ++a) {
    if (a == 0) {
      cell({0}, std::exp(first[0]));
      continue;
    }
    const std::vector<double> second = next(model_, source, {a});
    for (TokenId b = 0; b < 11; ++b) cell({a, b}, std::exp(first[size_t(a)] + second[size_t(b)]));
  }
  chi_square += (rest_seen - rest_expected) * (rest_seen - rest_expected) / (rest_expected + 1);
  // Its mean is `degrees`, its deviation sqrt(2 degrees): beyond four deviations one in 10,000.
  EXPECT_GT(degrees, 20);
  EXPECT_LT(chi_square, degrees + 4 * std::sqrt(2 * degrees));
}

TEST_P(GuidedSearchTest, ASampleIsScoredAsTheModelScoresIt) {
  SearchOptions options = sampling();
  options.temperature = 3;  // what is drawn is not what is scored
  options.nbest = 3;
  const auto texts = sources(4, 7);
  const auto found = run(options, texts);
  for (size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(found[i].hypotheses.size(), 3u);
    for (const Hypothesis& c : found[i].hypotheses) {
      EXPECT_NEAR(c.log_probability, model_score(texts[i], c), 1e-4);
      const auto length = int64_t(c.ids.size()) + (c.ended ? 1 : 0);
      EXPECT_DOUBLE_EQ(c.score, c.log_probability / length_penalty(length, 0.6));
    }
  }
}

TEST_P(GuidedSearchTest, SamplesDependOnSeedTextAndNumberAlone) {
  SearchOptions options = sampling();
  options.nbest = 3;
  const auto texts = sources(25, 5);
  expect_alike(options, texts);
  // The first sample of three is the only one of one.
  const auto three = run(options, texts);
  options.nbest = 1;
  const auto one = run(options, texts);
  for (size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(one[i].hypotheses[0].ids, three[i].hypotheses[0].ids);
  EXPECT_NE(three[3].hypotheses[0].ids, three[3].hypotheses[1].ids);
  // None is seed 1, another seed draws otherwise.
  options.seed = 1;
  expect_equal(one, run(options, texts));
  options.seed = 2;
  int64_t same = 0;
  const auto other = run(options, texts);
  for (size_t i = 0; i < texts.size(); ++i)
    same += other[i].hypotheses[0].ids == one[i].hypotheses[0].ids;
  EXPECT_LT(same, 10);
}

TEST_P(GuidedSearchTest, TheColdestSampleAndTheFewestChoicesAreGreedy) {
  SearchOptions greedy;
  greedy.beam = 1;
  greedy.extra_length = 6;
  const auto texts = sources(12, 6);
  const auto expected = run(greedy, texts);
  for (int which = 0; which < 3; ++which) {
    SearchOptions options = sampling();
    if (which == 0) options.temperature = 1e-9;
    if (which == 1) options.top_k = 1;
    if (which == 2) options.top_p = 1e-9;
    const auto found = run(options, texts);
    for (size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(found[i].hypotheses[0].ids, expected[i].hypotheses[0].ids) << which;
      EXPECT_NEAR(found[i].hypotheses[0].score, expected[i].hypotheses[0].score, 1e-5);
    }
  }
}

TEST_P(GuidedSearchTest, TopKAndTopPLeaveOutTheUnlikely) {
  SearchOptions options = sampling();
  options.max_length = 1;
  options.nbest = 500;
  const std::vector<TokenId> source = {4, 5, 9, 0};
  const std::vector<double> p = next(model_, source, {});
  std::vector<TokenId> order;
  for (TokenId id = 0; id < 11; ++id) order.push_back(id);
  std::sort(order.begin(), order.end(),
            [&](TokenId a, TokenId b) { return p[size_t(a)] > p[size_t(b)]; });
  const auto drawn = [&] {
    std::set<TokenId> ids;
    const std::vector<SearchResult> found = run(options, {source});
    for (const Hypothesis& c : found[0].hypotheses) ids.insert(c.ids.empty() ? 0 : c.ids[0]);
    return ids;
  };
  EXPECT_GT(drawn().size(), 5u);
  options.top_k = 3;
  EXPECT_EQ(drawn(), std::set<TokenId>(order.begin(), order.begin() + 3));
  options.top_k.reset();
  options.top_p = std::exp(p[size_t(order[0])]) + std::exp(p[size_t(order[1])]) - 1e-6;
  EXPECT_EQ(drawn(), std::set<TokenId>(order.begin(), order.begin() + 2));
}

TEST_P(GuidedSearchTest, LengthsOfSamplesAreKept) {
  SearchOptions options = sampling();
  options.min_length = 4;
  options.max_length = 5;
  options.nbest = 4;
  std::set<size_t> lengths;
  for (const SearchResult& found : run(options, sources(20, 9)))
    for (const Hypothesis& c : found.hypotheses) {
      lengths.insert(c.ids.size());
      EXPECT_EQ(c.ended, c.ids.size() == 4);
    }
  EXPECT_EQ(lengths, (std::set<size_t>{4, 5}));
}

bool repeats(const std::vector<TokenId>& ids, size_t n) {
  std::set<std::vector<TokenId>> seen;
  for (size_t i = 0; i + n <= ids.size(); ++i)
    if (!seen.insert({ids.begin() + ptrdiff_t(i), ids.begin() + ptrdiff_t(i + n)}).second)
      return true;
  return false;
}

TEST_P(GuidedSearchTest, NothingRepeats) {
  const auto texts = sources(12, 8);
  for (const bool sample : {false, true}) {
    for (const int64_t n : {1, 2, 3}) {
      SearchOptions options;
      options.sample = sample;
      options.nbest = 4;
      options.min_length = 9;
      options.max_length = 20;
      int64_t repeated = 0, kept = 0;
      for (const SearchResult& found : run(options, texts))
        for (const Hypothesis& c : found.hypotheses) repeated += repeats(c.ids, size_t(n));
      options.no_repeat_ngram_size = n;
      for (const SearchResult& found : run(options, texts))
        for (const Hypothesis& c : found.hypotheses) kept += repeats(c.ids, size_t(n));
      EXPECT_EQ(kept, 0) << n;
      EXPECT_GT(repeated, 0) << n;
      expect_alike(options, texts);
    }
  }
}

TEST_P(GuidedSearchTest, WithoutAnyAllowedTokenAHypothesisEndsWithoutEnd) {
  // Ten ids beside </s>, each once, and </s> not before twelve.
  for (const bool sample : {false, true}) {
    SearchOptions options;
    options.sample = sample;
    options.no_repeat_ngram_size = 1;
    options.min_length = 12;
    options.max_length = 20;
    const Hypothesis c = run(options, {{3, 4, 0}})[0].hypotheses.at(0);
    EXPECT_EQ(c.ids.size(), 10u);
    EXPECT_FALSE(c.ended);
  }
}

TEST_P(GuidedSearchTest, WithoutRepeatingIsStillTheBestThatTheModelScores) {
  // Greedy, by hand: the likeliest that repeats no bigram.
  SearchOptions options;
  options.beam = 1;
  options.no_repeat_ngram_size = 2;
  options.extra_length = 12;
  for (const auto& source : sources(5, 4)) {
    const Hypothesis got = run(options, {source})[0].hypotheses[0];
    std::vector<TokenId> ids;
    double sum = 0;
    while (int64_t(ids.size()) < int64_t(source.size()) + 12) {
      const std::vector<double> p = next(model_, source, ids);
      TokenId best = 0;
      for (TokenId id = 1; id < 11; ++id) {
        std::vector<TokenId> longer = ids;
        longer.push_back(id);
        if (p[size_t(id)] > p[size_t(best)] && !repeats(longer, 2)) best = id;
      }
      sum += p[size_t(best)];
      if (best == 0) break;
      ids.push_back(best);
    }
    EXPECT_EQ(got.ids, ids);
    EXPECT_EQ(got.log_probability, sum);
  }
}

TEST_P(GuidedSearchTest, APrefixIsForcedAndScored) {
  const auto texts = sources(20, 12);
  std::vector<std::vector<TokenId>> prefixes;
  Random random(3);
  for (size_t i = 0; i < texts.size(); ++i) {
    std::vector<TokenId>& b = prefixes.emplace_back();
    for (uint64_t n = random.below(7); n > 0; --n) b.push_back(TokenId(2 + random.below(9)));
  }
  for (const bool sample : {false, true}) {
    SearchOptions options;
    options.sample = sample;
    options.nbest = 2;
    options.extra_length = 9;
    const auto found = run(options, texts, prefixes);
    for (size_t i = 0; i < texts.size(); ++i) {
      for (const Hypothesis& c : found[i].hypotheses) {
        const std::vector<TokenId>& forced = prefixes[i];
        ASSERT_GE(c.ids.size(), forced.size());
        EXPECT_TRUE(std::equal(forced.begin(), forced.end(), c.ids.begin()));
        EXPECT_NEAR(c.log_probability, model_score(texts[i], c), 1e-4);
      }
    }
    expect_alike(options, texts, prefixes);
  }
  // An empty prefix changes nothing.
  SearchOptions options;
  expect_equal(run(options, texts),
               run(options, texts, std::vector<std::vector<TokenId>>(texts.size())));
}

TEST_P(GuidedSearchTest, AForcedPrefixOfGreedySearchGivesTheSame) {
  SearchOptions options;
  options.beam = 1;
  options.extra_length = 9;
  const auto texts = sources(10, 13);
  const auto whole = run(options, texts);
  std::vector<std::vector<TokenId>> prefixes;
  for (const SearchResult& found : whole) {
    const std::vector<TokenId>& ids = found.hypotheses[0].ids;
    prefixes.emplace_back(ids.begin(), ids.begin() + ptrdiff_t(ids.size() / 2));
  }
  const auto continued = run(options, texts, prefixes);
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(whole[i].hypotheses[0].ids, continued[i].hypotheses[0].ids);
    EXPECT_NEAR(whole[i].hypotheses[0].score, continued[i].hypotheses[0].score, 1e-5);
  }
}

TEST_P(GuidedSearchTest, GroupsWithoutDiversityAreBeamsOfTheirSize) {
  const auto texts = sources(15, 14);
  for (const int64_t size : {1, 2, 4}) {
    SearchOptions plain, diverse;
    plain.beam = size;
    diverse.beam = 3 * size;
    diverse.beam_groups = 3;
    diverse.diversity_penalty = 0;
    expect_equal(run(plain, texts), run(diverse, texts));
    plain.nbest = size;
    diverse.nbest = 3 * size;
    // All groups find the same hypotheses, which are returned once.
    const auto expected = run(plain, texts);
    auto found = run(diverse, texts);
    for (size_t i = 0; i < texts.size(); ++i) {
      ASSERT_GE(found[i].hypotheses.size(), expected[i].hypotheses.size());
      found[i].hypotheses.resize(expected[i].hypotheses.size());
    }
    expect_equal(expected, found);
  }
}

TEST_P(GuidedSearchTest, DiversityMakesTranslationsDiffer) {
  const auto texts = sources(15, 15);
  SearchOptions options;
  options.beam = 4;
  options.beam_groups = 4;
  options.nbest = 4;
  options.min_length = options.max_length = 12;  // no hypothesis ends, so all stay
  std::vector<double> first_tokens;
  for (const double strength : {0.0, 0.5, 50.0}) {
    options.diversity_penalty = strength;
    int64_t different = 0;
    for (const SearchResult& found : run(options, texts)) {
      std::set<TokenId> first;
      for (const Hypothesis& c : found.hypotheses) first.insert(c.ids.empty() ? 0 : c.ids[0]);
      different += int64_t(first.size());
      EXPECT_TRUE(std::is_sorted(
          found.hypotheses.begin(), found.hypotheses.end(),
          [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; }));
    }
    first_tokens.push_back(double(different) / double(texts.size()));
  }
  EXPECT_EQ(first_tokens[0], 1);
  EXPECT_GT(first_tokens[1], first_tokens[0]);
  EXPECT_GT(first_tokens[2], 3.5) << "a huge penalty bans the tokens of earlier groups";
  // None is 0.5, and scores are the model's own.
  options.diversity_penalty = 0.5;
  const auto half = run(options, texts);
  options.diversity_penalty.reset();
  expect_equal(half, run(options, texts));
  for (size_t i = 0; i < texts.size(); ++i)
    for (const Hypothesis& c : half[i].hypotheses)
      EXPECT_NEAR(c.log_probability, model_score(texts[i], c), 1e-4);
  options.beam = 6;
  options.beam_groups = 3;
  options.no_repeat_ngram_size = 2;
  expect_alike(options, texts);
}

TEST(SearchOptionsCheck, NamesWhatDoesNothing) {
  const auto message = [](auto change) -> std::string {
    SearchOptions options;
    change(options);
    try {
      check_options(options);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message([](auto&) {}), "");
  EXPECT_EQ(message([](auto& o) { o.temperature = 1; }),
            "--temperature: changes nothing without --sample");
  EXPECT_EQ(message([](auto& o) { o.top_k = 5; }), "--top-k: changes nothing without --sample");
  EXPECT_EQ(message([](auto& o) { o.top_p = 0.5; }), "--top-p: changes nothing without --sample");
  EXPECT_EQ(message([](auto& o) { o.seed = 5; }), "--seed: changes nothing without --sample");
  EXPECT_EQ(message([](auto& o) { o.sample = true, o.beam = 8; }),
            "--beam 8: belongs to beam search, not to --sample; --nbest 8 draws that many samples");
  EXPECT_NE(message([](auto& o) { o.sample = true, o.beam = 4; }), "") << "the default, but given";
  EXPECT_EQ(message([](auto& o) { o.sample = true, o.beam_groups = 2; }),
            "--beam-groups 2: belongs to beam search, not to --sample");
  EXPECT_EQ(message([](auto& o) { o.nbest = 5; }),
            "--nbest: expected at most the beam, 4, got '5'");
  EXPECT_EQ(message([](auto& o) { o.sample = true, o.nbest = 5; }), "");
  EXPECT_EQ(message([](auto& o) { o.beam_groups = 3; }),
            "--beam-groups: expected a divisor of the beam, 4, got '3'");
  EXPECT_EQ(message([](auto& o) { o.diversity_penalty = 1; }),
            "--diversity-penalty: changes nothing without --beam-groups of at least 2");
  EXPECT_EQ(message([](auto& o) { o.sample = true, o.temperature = 0; }),
            "--temperature: expected a number above 0 and of at most 100, got '0'");
}

}  // namespace
}  // namespace heed
