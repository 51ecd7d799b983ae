#include "heed/decode/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/core/utf8.h"

namespace heed {
namespace {

using ::testing::ElementsAre;

// `tokens` ids for each character.
Encoding encode(std::string_view text, int64_t tokens) {
  Encoding encoding;
  size_t end = 0;
  while (end < text.size()) {
    end += first_utf8_character(text.substr(end)).bytes;
    for (int64_t i = 0; i < tokens; ++i) {
      encoding.ids.push_back(7);
      encoding.ends.push_back(end);
    }
  }
  return encoding;
}

std::vector<std::string> split(std::string_view text, int64_t limit, int64_t tokens = 1) {
  std::vector<std::string> parts;
  const auto encoder = [&](std::string_view part) { return encode(part, tokens); };
  for (const TextPart& part : split_text(text, limit, encoder)) {
    EXPECT_EQ(part.ids.size(), encode(part.text, tokens).ids.size());
    parts.emplace_back(part.text);
  }
  return parts;
}

TEST(SplitText, PrefersSentencesThenClausesThenWordsThenCharacters) {
  EXPECT_THAT(split("One two. Three four. Five.", 20),
              ElementsAre("One two. Three four.", "Five."));
  EXPECT_THAT(split("One two, three four five six", 20),
              ElementsAre("One two,", "three four five six"));
  EXPECT_THAT(split("alpha beta gamma", 11), ElementsAre("alpha beta", "gamma"));
  EXPECT_THAT(split("abcdefg", 3), ElementsAre("abc", "def", "g"));
}

TEST(SplitText, CutsChineseWithoutSpaces) {
  EXPECT_THAT(split("你好。今天天气很好。我们走吧。", 8),
              ElementsAre("你好。", "今天天气很好。", "我们走吧。"));
  EXPECT_THAT(split("我买了苹果，他买了梨", 6), ElementsAre("我买了苹果，", "他买了梨"));
}

TEST(SplitText, LeavesAShortTextAlone) {
  EXPECT_THAT(split("Mr. Smith.", 10), ElementsAre("Mr. Smith."));
}

TEST(SplitText, ACharacterLongerThanTheLimitStands) {
  EXPECT_THAT(split("ab", 2, 3), ElementsAre("a", "b"));
}

TEST(SplitText, NothingIsLostButSpacesAtCuts) {
  const std::string text = "x, y and z; then (w) - and so on: 1 2 3. 好。a b c d e f g h i j k";
  for (int64_t limit = 1; limit < 30; ++limit) {
    std::string joined;
    for (const std::string& part : split(text, limit)) {
      EXPECT_LE(int64_t(decode_utf8(part).size()), limit);
      joined += part;
    }
    const auto bare = [](std::string s) {
      std::erase(s, ' ');
      return s;
    };
    EXPECT_EQ(bare(joined), bare(text)) << limit;
  }
}

// What is tokenized for a megabyte of `unit`: bytes of all calls, in units of the text's.
double tokenized(const std::string& unit) {
  std::string text;
  while (text.size() < (1 << 20)) text += unit;
  size_t bytes = 0, longest = 0;
  const auto encoder = [&](std::string_view part) {
    bytes += part.size();
    longest = std::max(longest, part.size());
    return encode(part, 1);
  };
  for (const TextPart& part : split_text(text, 100, encoder)) EXPECT_LE(part.ids.size(), 100u);
  EXPECT_LE(longest, 6400u);
  return double(bytes) / double(text.size());
}

TEST(SplitText, TheCostOfALongLineIsLinear) {
  EXPECT_LT(tokenized("some words without an end "), 3.5);
  EXPECT_LT(tokenized("One sentence. "), 3.5);
  EXPECT_LT(tokenized("今天天气很好"), 3.5);
  EXPECT_LT(tokenized("好。"), 3.5);
  EXPECT_LT(tokenized("x"), 3.5);
}

TEST(SplitText, APartThatLooksShortIsBoundedInBytes) {
  // A tokenizer that reads anything as one unknown token.
  const auto unknown = [](std::string_view text) {
    EXPECT_LE(text.size(), 640u);
    return Encoding{{1}, {text.size()}};
  };
  const std::string text(10000, 'x');
  std::string joined;
  for (const TextPart& part : split_text(text, 10, unknown)) joined += part.text;
  EXPECT_EQ(joined, text);
}

TEST(SplitText, FillsPartsUpToTheFurthestCut) {
  // The rest of a split sentence is in one part with the sentences after it.
  EXPECT_THAT(split("aaaa bbbb cccc. dd. ee.", 10), ElementsAre("aaaa bbbb", "cccc. dd.", "ee."));
}

TEST(JoinParts, TheCostOfManyPartsIsLinear) {
  const std::vector<std::string> parts(300'000, "ab");
  EXPECT_EQ(join_parts(parts).size(), 3 * parts.size() - 1);
}

TEST(JoinParts, SpacesBetweenWordsButNotInChinese) {
  EXPECT_EQ(join_parts({"One.", "", "Two."}), "One. Two.");
  EXPECT_EQ(join_parts({"你好。", "再见。"}), "你好。再见。");
}

}  // namespace
}  // namespace heed
