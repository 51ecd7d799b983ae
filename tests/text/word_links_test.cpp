#include "heed/text/word_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "heed/core/rng.h"

namespace heed {
namespace {

using ::testing::ElementsAre;

// Sentences of a language whose words are numbers, and their translation: 100 more, backwards,
// with a word that the source lacks (99) at the beginning.
std::vector<TokenPair> numbers(int count, uint64_t seed) {
  Random random(seed);
  std::vector<TokenPair> pairs;
  for (int i = 0; i < count; ++i) {
    TokenPair& pair = pairs.emplace_back();
    for (uint64_t n = 1 + random.below(6); n > 0; --n)
      pair.source.push_back(TokenId(2 + random.below(30)));
    pair.target.push_back(99);
    for (size_t k = pair.source.size(); k > 0; --k) pair.target.push_back(pair.source[k - 1] + 100);
  }
  return pairs;
}

TEST(WordLinks, FindsTranslationsFromSentencePairsAlone) {
  const WordLinks links(numbers(400, 1));
  EXPECT_THAT(links.of({{4, 9, 7}, {99, 107, 109, 104}}), ElementsAre(-1, 2, 1, 0));
  int64_t found = 0, right = 0, all = 0;
  for (const TokenPair& pair : numbers(100, 2)) {
    const std::vector<int32_t> own = links.of(pair);
    ASSERT_EQ(own.size(), pair.target.size());
    all += int64_t(pair.source.size());
    for (size_t t = 0; t < own.size(); ++t) {
      if (own[t] < 0) continue;
      ++found;
      right += pair.target[t] == pair.source[size_t(own[t])] + 100;
    }
  }
  EXPECT_GT(found, all / 2);
  EXPECT_GT(right, 95 * found / 100);
}

TEST(WordLinks, IsSilentWhereItKnowsNothing) {
  const WordLinks links(numbers(400, 1));
  EXPECT_THAT(links.of({{4, 5000}, {104, 6000}}), ElementsAre(0, -1)) << "unknown tokens";
  EXPECT_THAT(links.of({{4, 4}, {104}}), ElementsAre(-1)) << "two are as likely";
  EXPECT_THAT(links.of({{}, {104}}), ElementsAre(-1));
  EXPECT_THAT(links.of({{4}, {}}), ElementsAre());
  EXPECT_THAT(WordLinks({}).of({{4}, {104}}), ElementsAre(-1));
}

TEST(WordLinks, ManyPairsOfIdsHaveTheirOwnCells) {
  // More cells than the table begins with, with ids that differ in their high bits alone.
  std::vector<TokenPair> pairs;
  for (int i = 0; i < 3000; ++i) pairs.push_back({{TokenId(i) << 16}, {TokenId(i)}});
  const WordLinks links(pairs);
  for (const TokenPair& pair : pairs) EXPECT_THAT(links.of(pair), ElementsAre(0));
  EXPECT_THAT(links.of({{TokenId(3) << 16}, {4}}), ElementsAre(-1));
}

}  // namespace
}  // namespace heed
