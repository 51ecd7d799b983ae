#include "heed/decode/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/core/utf8.h"

namespace heed {
namespace {

using ::testing::ElementsAre;

int64_t characters(std::string_view text) {
  return int64_t(decode_utf8(text).size());
}

TEST(SplitText, PrefersSentencesThenClausesThenWordsThenCharacters) {
  EXPECT_THAT(split_text("One two. Three four. Five.", 20, characters),
              ElementsAre("One two. Three four.", "Five."));
  EXPECT_THAT(split_text("One two, three four five six", 20, characters),
              ElementsAre("One two,", "three four five six"));
  EXPECT_THAT(split_text("alpha beta gamma", 11, characters), ElementsAre("alpha beta", "gamma"));
  EXPECT_THAT(split_text("abcdefg", 3, characters), ElementsAre("abc", "def", "g"));
}

TEST(SplitText, CutsChineseWithoutSpaces) {
  EXPECT_THAT(split_text("你好。今天天气很好。我们走吧。", 8, characters),
              ElementsAre("你好。", "今天天气很好。", "我们走吧。"));
  EXPECT_THAT(split_text("我买了苹果，他买了梨", 6, characters),
              ElementsAre("我买了苹果，", "他买了梨"));
}

TEST(SplitText, LeavesAShortTextAlone) {
  EXPECT_THAT(split_text("Mr. Smith.", 10, characters), ElementsAre("Mr. Smith."));
}

TEST(SplitText, ACharacterLongerThanTheLimitStands) {
  const auto three = [](std::string_view text) { return 3 * characters(text); };
  EXPECT_THAT(split_text("ab", 2, three), ElementsAre("a", "b"));
}

TEST(SplitText, NothingIsLostButSpacesAtCuts) {
  const std::string text = "x, y and z; then (w) - and so on: 1 2 3. 好。a b c d e f g h i j k";
  for (int64_t limit = 1; limit < 30; ++limit) {
    std::string joined;
    for (const std::string& part : split_text(text, limit, characters)) {
      EXPECT_LE(characters(part), limit);
      joined += part;
    }
    const auto bare = [](std::string s) {
      std::erase(s, ' ');
      return s;
    };
    EXPECT_EQ(bare(joined), bare(text)) << limit;
  }
}

TEST(JoinParts, SpacesBetweenWordsButNotInChinese) {
  EXPECT_EQ(join_parts({"One.", "", "Two."}), "One. Two.");
  EXPECT_EQ(join_parts({"你好。", "再见。"}), "你好。再见。");
}

}  // namespace
}  // namespace heed
