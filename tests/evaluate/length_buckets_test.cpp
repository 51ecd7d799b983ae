#include "heed/evaluate/length_buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LengthUnit, IsCharactersWhereWordsHaveNoSpaces) {
  EXPECT_EQ(suitable_length_unit({"Two words", ""}), LengthUnit::words);
  EXPECT_EQ(suitable_length_unit({"她昨天买了三本书。"}), LengthUnit::characters);
  EXPECT_EQ(suitable_length_unit({"本を三冊買いました。"}), LengthUnit::characters);
  EXPECT_EQ(suitable_length_unit({}), LengthUnit::words);
  EXPECT_EQ(name(LengthUnit::words), "words");
  EXPECT_EQ(name(LengthUnit::characters), "characters");
}

TEST(LengthUnit, WhitespaceDoesNotCount) {
  const Lines lines = {" a  bc\t\u3000d ", "", "她 昨天。", "\xff\xfe x"};
  EXPECT_THAT(lengths_of(lines, LengthUnit::words), ElementsAre(3, 0, 2, 2));
  EXPECT_THAT(lengths_of(lines, LengthUnit::characters), ElementsAre(4, 0, 4, 3));
}

TEST(LengthBuckets, HoldEverySentenceOnce) {
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < 500; ++i) lengths.push_back(i * i % 73);
  const std::vector<LengthBucket> buckets = length_buckets(lengths);
  EXPECT_LE(buckets.size(), 10u);
  std::vector<int> times(lengths.size());
  int64_t next = 0;
  for (const LengthBucket& bucket : buckets) {
    EXPECT_EQ(bucket.first, next);
    next = bucket.last.value_or(0) + 1;
    for (const size_t i : bucket.sentences) {
      ++times[i];
      EXPECT_GE(lengths[i], bucket.first);
      EXPECT_LE(lengths[i], bucket.last.value_or(INT64_MAX));
    }
  }
  for (const int count : times) EXPECT_EQ(count, 1);
}

TEST(LengthBuckets, AreAsWideAsTheTextNeeds) {
  const std::vector<LengthBucket> buckets = length_buckets({3, 44, 12, 41});
  ASSERT_EQ(buckets.size(), 9u);
  EXPECT_EQ(buckets[0].last, 4);
  EXPECT_THAT(buckets[0].sentences, ElementsAre(0));
  EXPECT_THAT(buckets[2].sentences, ElementsAre(2));
  EXPECT_THAT(buckets[5].sentences, IsEmpty());
  EXPECT_EQ(buckets[8].first, 40);
  EXPECT_EQ(buckets[8].last, 44);
  EXPECT_THAT(buckets[8].sentences, ElementsAre(1, 3));
}

TEST(LengthBuckets, TheLastOneTakesTheFewThatAreVeryLong) {
  std::vector<int64_t> lengths(99, 7);
  lengths.push_back(20'000);
  const std::vector<LengthBucket> buckets = length_buckets(lengths);
  ASSERT_EQ(buckets.size(), 9u);
  EXPECT_EQ(buckets[7].sentences.size(), 99u);
  EXPECT_EQ(buckets[8].first, 8);
  EXPECT_EQ(buckets[8].last, std::nullopt);
  EXPECT_THAT(buckets[8].sentences, ElementsAre(99));
}

TEST(LengthBuckets, OfEmptySentencesAreOne) {
  EXPECT_THAT(length_buckets({}), IsEmpty());
  const std::vector<LengthBucket> buckets = length_buckets({0, 0});
  ASSERT_EQ(buckets.size(), 1u);
  EXPECT_EQ(buckets[0].last, 0);
  EXPECT_THAT(buckets[0].sentences, ElementsAre(0, 1));
}

}  // namespace
}  // namespace heed
