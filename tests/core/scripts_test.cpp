#include "heed/core/scripts.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Scripts, LettersOfEachAreKnown) {
  const std::pair<char32_t, Script> letters[] = {
      {U'a', Script::latin},     {U'ß', Script::latin},    {U'ı', Script::latin},
      {U'Ω', Script::greek},     {U'ж', Script::cyrillic}, {U'Ա', Script::armenian},
      {U'ש', Script::hebrew},    {U'ع', Script::arabic},   {U'ک', Script::arabic},
      {U'न', Script::indic},     {U'த', Script::indic},    {U'ก', Script::thai},
      {U'ລ', Script::lao},       {U'བ', Script::tibetan},  {U'မ', Script::myanmar},
      {U'ქ', Script::georgian},  {U'አ', Script::ethiopic}, {U'ក', Script::khmer},
      {U'ᠮ', Script::mongolian}, {U'한', Script::hangul},  {U'の', Script::kana},
      {U'カ', Script::kana},     {U'中', Script::han},     {U'𠀀', Script::han},
      {U'Ａ', Script::latin}};
  for (const auto& [letter, script] : letters) {
    EXPECT_EQ(script_of(letter), script) << uint32_t(letter);
  }
}

TEST(Scripts, WhatIsNoLetterHasNone) {
  for (const char32_t character : {U'0', U' ', U'.', U'«', U'×', U'÷', U'€', U'。', U'،', U'😀',
                                   char32_t{0}, char32_t{0x10FFFF}, char32_t{0xFFFD}}) {
    EXPECT_FALSE(script_of(character)) << uint32_t(character);
  }
}

TEST(Scripts, WhatIsWrittenWithoutSpaces) {
  for (const char32_t character : {U'中', U'の', U'。', U'，', U'！', U'ｱ', U'ก', U'ລ', U'ក', U'མ'})
    EXPECT_TRUE(is_unspaced(character)) << uint32_t(character);
  for (const char32_t character :
       {U'a', U'é', U'д', U'한', U'ع', U'.', U' ', U'1', U'“', U'Ａ', U'ｚ', U'９'})
    EXPECT_FALSE(is_unspaced(character)) << uint32_t(character);
  EXPECT_TRUE(is_chinese_or_japanese(U'中') && is_chinese_or_japanese(U'。'));
  EXPECT_FALSE(is_chinese_or_japanese(U'ก')) << "Thai has spaces between sentences";
}

TEST(Scripts, SpacesPartWordsOrNot) {
  const auto letters = [](Script script, int64_t count) {
    ScriptCounts counts{};
    counts[size_t(script)] = count;
    return counts;
  };
  EXPECT_TRUE(has_spaced_words({}, 0, 0));
  EXPECT_TRUE(has_spaced_words(letters(Script::latin, 30), 1, 1));
  EXPECT_TRUE(has_spaced_words(letters(Script::hangul, 300), 100, 30));
  // Short lines of Chinese, one "word" each; a line of clauses with spaces between; cut into words.
  EXPECT_FALSE(has_spaced_words(letters(Script::han, 300), 100, 100));
  EXPECT_FALSE(has_spaced_words(letters(Script::han, 1000), 200, 100));
  EXPECT_TRUE(has_spaced_words(letters(Script::han, 1000), 600, 100));
  EXPECT_FALSE(has_spaced_words(letters(Script::thai, 2000), 200, 100));
  EXPECT_TRUE(has_spaced_words(letters(Script::thai, 2000), 500, 100));
  ScriptCounts japanese = letters(Script::kana, 500);
  japanese[size_t(Script::han)] = 400;
  japanese[size_t(Script::latin)] = 100;
  EXPECT_FALSE(has_spaced_words(japanese, 110, 100));
}

}  // namespace
}  // namespace heed
