#include "heed/text/word_aligner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "heed/core/rng.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Sentences of words from 0 to 29, whose translation is 100 more and in the opposite order; before
// each 5 the translation has a word that no source word has.
std::vector<TokenPair> backwards(int count) {
  Random random(1);
  std::vector<TokenPair> pairs;
  for (int i = 0; i < count; ++i) {
    TokenPair pair;
    for (uint64_t n = 2 + random.below(8); n > 0; --n)
      pair.source.push_back(TokenId(random.below(30)));
    for (auto word = pair.source.rbegin(); word != pair.source.rend(); ++word) {
      if (*word == 5) pair.target.push_back(99);
      pair.target.push_back(*word + 100);
    }
    pairs.push_back(pair);
  }
  return pairs;
}

TEST(WordAligner, FindsTranslationsInAnotherOrder) {
  const std::vector<TokenPair> pairs = backwards(400);
  Workers workers(2);
  const WordAligner aligner(pairs, workers);
  int64_t right = 0, all = 0;
  for (const TokenPair& pair : pairs)
    for (const WordLink& link : aligner.links(pair, Symmetrization::intersection)) {
      right += pair.source[size_t(link.source)] + 100 == pair.target[size_t(link.target)];
      ++all;
    }
  EXPECT_GT(all, 1900);
  EXPECT_GT(right, all * 97 / 100);
}

TEST(WordAligner, KnowsARepeatedWordByItsNeighbours) {
  std::vector<TokenPair> pairs = backwards(400);
  for (TokenPair& pair : pairs) std::ranges::reverse(pair.target);
  Workers workers(1);
  const WordAligner aligner(pairs, workers);
  const TokenPair pair{{7, 3, 7}, {107, 103, 107}};
  EXPECT_THAT(aligner.links(pair, Symmetrization::intersection),
              ElementsAre(WordLink{0, 0}, WordLink{1, 1}, WordLink{2, 2}));
}

TEST(WordAligner, DoesNotDependOnTheThreads) {
  const std::vector<TokenPair> pairs = backwards(600);
  Workers one(1), three(3);
  const WordAligner a(pairs, one), b(pairs, three);
  for (const auto& [name, symmetrization] : enum_names(Symmetrization{}))
    for (const TokenPair& pair : pairs)
      ASSERT_EQ(a.links(pair, symmetrization), b.links(pair, symmetrization)) << name;
}

TEST(WordAligner, TakesAnyText) {
  Workers workers(1);
  const WordAligner none({}, workers);
  EXPECT_THAT(none.links({{1}, {}}, Symmetrization::merged), IsEmpty());
  EXPECT_EQ(none.links({{1}, {2}}, Symmetrization::merged).size(), 1u);
  const WordAligner aligner({{{}, {1}}, {{1}, {}}, {{1}, {2}}}, workers);
  EXPECT_THAT(aligner.links({{1, 8}, {2, 9}}, Symmetrization::intersection),
              ::testing::Contains(WordLink{0, 0}));
  TokenPair large;
  large.source.assign(WordAligner::kMaxTokens + 1, 1);
  large.target = {2};
  EXPECT_THAT(aligner.links(large, Symmetrization::merged), IsEmpty());
}

TEST(Symmetrization, KeepsWhatItSays) {
  // Forward: 0-0 1-1 3-2; backward: 0-0 1-1 2-1, and 4-4 of nothing else.
  const std::vector<int32_t> source_of_target{0, 1, 3, -1, -1}, target_of_source{0, 1, 1, -1, 4};
  const auto links = [&](Symmetrization s) {
    return symmetrized(source_of_target, target_of_source, s);
  };
  using L = WordLink;
  EXPECT_THAT(links(Symmetrization::source_target), ElementsAre(L{0, 0}, L{1, 1}, L{3, 2}));
  EXPECT_THAT(links(Symmetrization::target_source),
              ElementsAre(L{0, 0}, L{1, 1}, L{2, 1}, L{4, 4}));
  EXPECT_THAT(links(Symmetrization::intersection), ElementsAre(L{0, 0}, L{1, 1}));
  EXPECT_THAT(links(Symmetrization::merged),
              ElementsAre(L{0, 0}, L{1, 1}, L{2, 1}, L{3, 2}, L{4, 4}));
  // 2-1 is beside 1-1, 3-2 then beside 2-1, 4-4 has neither of its words linked.
  EXPECT_THAT(links(Symmetrization::grow_diag_final_and),
              ElementsAre(L{0, 0}, L{1, 1}, L{2, 1}, L{3, 2}, L{4, 4}));
  // A far link of two words of which one has a link already is left out.
  EXPECT_THAT(symmetrized({0, 0, -1, 0}, {0}, Symmetrization::grow_diag_final_and),
              ElementsAre(L{0, 0}, L{0, 1}));
}

}  // namespace
}  // namespace heed
