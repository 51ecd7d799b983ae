#include "heed/decode/decoding_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/core/rng.h"
#include "reference/reference_backend.h"

namespace heed {
namespace {

constexpr TokenId kEnd = 0;

Tensor random_logits(int64_t rows, int64_t classes, Random& random) {
  Tensor logits({rows, classes});
  // Rounded, so that there are ties.
  for (float& logit : logits.span<float>()) logit = std::round(float(8 * random.normal())) / 4;
  return logits;
}

TEST(Predictions, FindsMoreOfARowUntilAllThatMayBeAskedFor) {
  Random random(1);
  const Tensor logits = random_logits(3, 700, random);
  for (const auto& backend : {make_reference_backend(), make_cpu_backend()}) {
    Predictions next(*backend, logits, 600);
    EXPECT_LT(next.best(1).ids.size(), 600u);
    int64_t searches = 0;
    while (next.find_more(1)) ++searches;
    EXPECT_GT(searches, 0);
    const TopK all = backend->top_k(logits, 600);
    const Predictions::Best best = next.best(1);
    ASSERT_EQ(best.ids.size(), 600u);
    EXPECT_TRUE(std::equal(best.ids.begin(), best.ids.end(), all.ids.begin() + 600));
    EXPECT_TRUE(std::equal(best.log_probabilities.begin(), best.log_probabilities.end(),
                           all.log_probabilities.begin() + 600));
    EXPECT_LT(next.best(0).ids.size(), 600u) << "other rows are left alone";
  }
}

TEST(DropUnfinished, LeavesThoseThatEndedIfThereAreAny) {
  const auto group_of = [](const std::vector<std::pair<double, bool>>& all) {
    HypothesisGroup group;
    for (const auto& [log_probability, ended] : all)
      group.finish({.ids = {1}, .log_probability = log_probability, .ended = ended}, 1, 0);
    return group;
  };
  const auto left = [](const HypothesisGroup& group) {
    std::vector<double> scores;
    for (const FinishedHypothesis& h : group.finished) scores.push_back(h.score);
    return scores;
  };
  std::vector<HypothesisGroup> groups = {
      group_of({{-1, false}, {-2, true}, {-3, false}, {-4, true}}), group_of({{-5, false}})};
  drop_unfinished(groups);
  EXPECT_EQ(left(groups[0]), (std::vector<double>{-2, -4}));
  EXPECT_EQ(left(groups[1]), std::vector<double>{}) << "another group has some";
  groups = {group_of({{-1, false}, {-2, false}})};
  drop_unfinished(groups);
  EXPECT_EQ(left(groups[0]), (std::vector<double>{-1, -2})) << "none has ended";
}

TEST(DropUnfinished, BringsBackATextThatItRepeated) {
  HypothesisGroup group;
  group.finished.resize(3);
  for (size_t i = 0; i < 3; ++i) {
    group.finished[i].text = i < 2 ? "a" : "b";
    group.finished[i].ended = i > 0;
  }
  group.finished[1].repeats = true;
  std::vector<HypothesisGroup> groups = {group};
  drop_unfinished(groups);
  ASSERT_EQ(groups[0].finished.size(), 2u);
  EXPECT_FALSE(groups[0].finished[0].repeats);
}

// Whatever the model and the width, a step keeps the best of all candidates on.
TEST(DecodingStep, AStepOfAWideBeamKeepsTheBestCandidates) {
  Random random(2);
  const auto backend = make_cpu_backend();
  for (const int64_t width : {2, 9, 12, 13, 40, 150}) {
    for (const double diversity : {0.0, 0.7}) {
      SearchOptions options;
      options.beam_groups = diversity > 0 ? 2 : 1;
      options.beam = width * options.beam_groups;
      if (diversity > 0) options.diversity_penalty = diversity;
      const int64_t classes = 400;
      HypothesisGroup group;
      std::vector<TokenId> chosen;
      if (diversity > 0)
        for (int64_t i = 0; i < width; ++i) chosen.push_back(TokenId(1 + random.below(9)));
      std::sort(chosen.begin(), chosen.end());
      const std::vector<TokenId> chosen_before = chosen;
      for (int64_t i = 0; i < width; ++i) {
        ActiveHypothesis h;
        h.ids = {TokenId(i + 1)};
        // Rows of very different weight: a few give most of the candidates.
        h.log_probability = -double(random.below(40)) / 2;
        h.logits_row = i;
        const TokenId low = TokenId(1 + random.below(19)), high = TokenId(20 + random.below(20));
        h.next.ban(std::vector{kEnd, low, high});
        group.active.push_back(h);
      }
      const Tensor logits = random_logits(width, classes, random);
      const TopK all = backend->top_k(logits, classes);
      struct Candidate {
        double value;
        int64_t parent;
        TokenId id;
        bool operator<(const Candidate& other) const {
          if (value != other.value) return value > other.value;
          return parent != other.parent ? parent < other.parent : id < other.id;
        }
      };
      std::vector<Candidate> expected;
      for (int64_t i = 0; i < width; ++i) {
        const ActiveHypothesis& h = group.active[size_t(i)];
        for (int64_t j = 0; j < classes; ++j) {
          const TokenId id = all.ids[size_t(i * classes + j)];
          if (!h.next.allows(id)) continue;
          const auto times = std::count(chosen_before.begin(), chosen_before.end(), id);
          expected.push_back({h.log_probability +
                                  double(all.log_probabilities[size_t(i * classes + j)]) -
                                  diversity * double(times),
                              i, id});
        }
      }
      std::sort(expected.begin(), expected.end());

      Predictions next(*backend, logits, DecodingStep::candidates_needed(options, 3));
      DecodingStep{options, kEnd, 50, next}.beam_search(group, chosen);
      ASSERT_EQ(int64_t(group.active.size()), width);
      for (int64_t i = 0; i < width; ++i) {
        const std::vector<TokenId> ids = {TokenId(expected[size_t(i)].parent + 1),
                                          expected[size_t(i)].id};
        EXPECT_EQ(group.active[size_t(i)].ids, ids) << width << " " << diversity << " " << i;
      }
    }
  }
}

// Two improbable hypotheses end first; the probable one has 6 tokens.
TEST(DecodingStep, ASearchGoesOnWhileALongerHypothesisIsBetterThanThoseThatEnded) {
  const auto backend = make_reference_backend();
  constexpr TokenId kLong = 1, kShort = 2, kOther = 3;
  const auto logits_after = [](const std::vector<TokenId>& ids) {
    std::vector<double> p(4, 0.005);
    if (ids.empty()) {
      p[kLong] = 0.93;
      p[kShort] = 0.06;
    } else if (ids.back() != kLong || ids.size() == 6) {
      p[kEnd] = 0.985;
    } else {
      p[kLong] = 0.97;
      p[kOther] = 0.02;
    }
    return p;
  };
  for (const double length_penalty : {0.0, 0.6}) {
    SearchOptions options;
    options.beam = 2;
    options.length_penalty = length_penalty;
    HypothesisGroup group;
    group.active.emplace_back();
    int64_t steps = 0;
    for (; !group.done; ++steps) {
      Tensor logits({int64_t(group.active.size()), 4});
      for (size_t row = 0; row < group.active.size(); ++row) {
        group.active[row].logits_row = int64_t(row);
        const std::vector<double> p = logits_after(group.active[row].ids);
        for (size_t id = 0; id < p.size(); ++id)
          logits.span<float>()[row * 4 + id] = float(std::log(p[id]));
      }
      Predictions next(*backend, logits, DecodingStep::candidates_needed(options, 0));
      std::vector<TokenId> chosen;
      DecodingStep{options, kEnd, 50, next}.beam_search(group, chosen);
    }
    EXPECT_EQ(group.finished[0].ids, std::vector<TokenId>(6, kLong));
    EXPECT_EQ(steps, 7) << "it ends with that one";
  }
}

TEST(DecodingStep, SamplesOfTheLikeliestNeedNoMoreThanThose) {
  Random random(3);
  const auto backend = make_cpu_backend();
  const Tensor logits = random_logits(1, 900, random);
  for (const int64_t top_k : {1, 30, 300, 898, 899, 2000}) {
    SearchOptions options;
    options.sample = true;
    options.top_k = top_k;
    // The same from all classes.
    std::vector<TokenWeight> choices;
    Predictions all(*backend, logits, 1);
    all.choices(0, choices);
    const std::vector<TokenId> banned = {kEnd, 5, 17};
    std::erase_if(choices, [&](const TokenWeight& c) {
      return std::count(banned.begin(), banned.end(), c.id) > 0;
    });
    to_probabilities(choices, {1, top_k, 1});
    for (int draws = 0; draws < 50; ++draws) {
      const double uniform = random.uniform();
      HypothesisGroup group;
      ActiveHypothesis h;
      h.ids = {9};
      h.next.ban(banned);
      group.active = {h};
      std::vector<TokenWeight> memory;
      Predictions next(*backend, logits, DecodingStep::candidates_needed(options, 3));
      DecodingStep{options, kEnd, 50, next}.sample(group, uniform, memory);
      ASSERT_EQ(group.active.size(), 1u);
      EXPECT_EQ(group.active[0].ids.back(), detail::draw(choices, uniform).id) << top_k;
    }
  }
}

}  // namespace
}  // namespace heed
