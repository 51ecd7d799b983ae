#include "heed/text/character_counter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/core/utf8.h"
#include "heed/text/known_characters.h"
#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::HasSubstr;
using namespace std::string_literals;

CharacterCounter count(Normalization rule, const std::vector<std::string>& lines) {
  CharacterCounter counter(Normalizer(rule, false));
  for (const std::string& line : lines) counter.add(line);
  return counter;
}

TEST(CharacterCounter, CountsWhatNormalizationChanges) {
  const std::vector<std::string> lines = {"plain text", "你好，他说…",    "a™ b² c½ ﬁ",
                                          "可以，，",   "e\u0301t\u00e9", "می\u200cخواهم",
                                          "10\u00a0kg"};
  const CharacterCounter nmt = count(Normalization::nmt_nfkc, lines);
  EXPECT_EQ(nmt.lines(), 7);
  EXPECT_EQ(nmt.changed_lines(), 6);
  EXPECT_EQ(to_string(nmt.changes(3)),
            "'，' to ',' (3), 'e\u0301' to '\u00e9' (1), '\u00a0' to a space (1)");
  EXPECT_EQ(nmt.changes(100).size(), 9);
  EXPECT_TRUE(nmt.characters().contains(U',') && nmt.characters().contains(U'你'));
  EXPECT_FALSE(nmt.characters().contains(U'，') || nmt.characters().contains(U' '));
  const CharacterCounter none = count(Normalization::identity, lines);
  EXPECT_EQ(none.changed_lines(), 0);
  EXPECT_TRUE(none.changes(100).empty());
  EXPECT_TRUE(none.characters().contains(U'，') && none.characters().contains(0x301));
}

TEST(CharacterCounter, WhatSentencePieceCannotHaveIsAChangeUnderEveryRule) {
  for (const auto& [name, rule] : enum_names(Normalization{})) {
    const CharacterCounter counter = count(rule, {"a\tb", "a\0b"s, "a\u2581b", "  a  b \r"});
    EXPECT_EQ(counter.changed_lines(), 3) << name;
    EXPECT_THAT(to_string(counter.changes(9)), HasSubstr("'\u2409' to a space (1)")) << name;
  }
}

// The characters of a text are the same whether it is normalized as a whole or by graphemes.
TEST(CharacterCounter, CharactersAreThoseOfTheNormalizedText) {
  const std::string text =
      "Ｈello ﬁ e\u0301 \u1112\u1161\u11ab ㍻ \u2764\ufe0f \u0915\u093f a\u0323\u0302 ½ ｶﾞ \u200dx";
  for (const auto& [name, rule] : enum_names(Normalization{})) {
    CharacterSet expected;
    for (const char32_t c : decode_utf8(Normalizer(rule, false).normalize(text)))
      if (c != ' ') expected.add(c);
    EXPECT_EQ(count(rule, {text}).characters().ranges(), expected.ranges()) << name;
  }
}

TEST(KnownCharacters, AreThoseOfTheNormalizedTrainingText) {
  const CharacterCounter seen = count(Normalization::nmt_nfkc, {"Hallo, W\u00e4lt 我"});
  const KnownCharacters known(seen.characters(),
                              Normalizer(Normalization::nmt_nfkc, false).specification());
  for (const char* grapheme : {"H", ",", "，", "\u00e4", "a\u0308", "Ｈ", "我", " ", "\t"})
    EXPECT_TRUE(known.knows(grapheme)) << grapheme;
  for (const char* grapheme : {"h", "\u00fc", "한", "\U0001f606", "x\u0308", "你", "§"})
    EXPECT_FALSE(known.knows(grapheme)) << grapheme;
}

TEST(TrainingCharacters, AreReadAsTheyWereWritten) {
  const testing::TemporaryFolder folder;
  EXPECT_FALSE(TrainingCharacters::load(folder.path()).has_value());
  TrainingCharacters characters;
  for (const char32_t c : U"abc我") characters.source.add(c);
  characters.target.add(U'x');
  folder.write(kCharactersFile, characters.json());
  const auto read = TrainingCharacters::load(folder.path());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->source, characters.source);
  EXPECT_EQ(read->target, characters.target);
  for (const char* damaged : {"", "[]", "{}", R"({"source": "61", "target": 5})",
                              R"({"source": "61", "target": "6z"})"}) {
    folder.write(kCharactersFile, damaged);
    EXPECT_THAT(error_of([&] { TrainingCharacters::load(folder.path()); }),
                HasSubstr(kCharactersFile))
        << damaged;
  }
}

}  // namespace
}  // namespace heed
