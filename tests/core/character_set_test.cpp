#include "heed/core/character_set.h"

#include <gtest/gtest.h>

#include "heed/core/rng.h"

namespace heed {
namespace {

int64_t size_of(const CharacterSet& set) {
  int64_t size = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) size += set.contains(c);
  return size;
}

TEST(CharacterSet, HasWhatWasAdded) {
  CharacterSet set;
  EXPECT_TRUE(set == CharacterSet());
  EXPECT_EQ(set.ranges(), "");
  for (const char32_t c : U"a\u4e00b\U0010fffd?@") set.add(c);
  set.add(0xD800);
  set.add(0x110000);
  EXPECT_EQ(size_of(set), 7);  // with the NUL of the literal
  EXPECT_TRUE(set.contains(U'a') && set.contains(0x10FFFD) && set.contains(0x4E00));
  EXPECT_FALSE(set.contains(U'c') || set.contains(0xD800) || set.contains(0x110000) ||
               set.contains(0x4E01) || set.contains(0xFFFFFFFF));
  EXPECT_EQ(set.ranges(), "0 3f-40 61-62 4e00 10fffd");
}

TEST(CharacterSet, IsReadAsItWasWritten) {
  Random random(7);
  for (int trial = 0; trial < 50; ++trial) {
    CharacterSet set, other;
    for (int i = 0; i < 40; ++i) set.add(char32_t(random.below(trial % 2 ? 300 : 0x110000)));
    for (int i = 0; i < 5; ++i) other.add(char32_t(random.below(0x110000)));
    const auto read = CharacterSet::from_ranges(set.ranges());
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, set);
    EXPECT_EQ(read->ranges(), set.ranges());
    set.add(other);
    EXPECT_GE(size_of(set), size_of(other));
    CharacterSet again = set;
    again.add(other);
    EXPECT_EQ(again, set);
  }
}

TEST(CharacterSet, RefusesOtherText) {
  for (const char* text :
       {"x", "61-", "-61", "62-61", "61,62", " 61", "61 ", "61  62", "110000", "61-110000",
        "fffffffff", "0x61", "+61", "62 61", "61 61", "61-63 63", "0-10ffff 0-10ffff"})
    EXPECT_FALSE(CharacterSet::from_ranges(text).has_value()) << text;
  EXPECT_EQ(size_of(*CharacterSet::from_ranges("")), 0);
  EXPECT_EQ(size_of(*CharacterSet::from_ranges("0-10ffff")), 0x110000 - 0x800);
}

}  // namespace
}  // namespace heed
