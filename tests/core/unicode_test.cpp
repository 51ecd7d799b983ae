#include "heed/core/unicode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdint>

#include "evaluate/every_character.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using Pieces = std::vector<std::string_view>;

// In Python, with `characters` all but the surrogates: "\n".join(characters).lower().
TEST(Unicode, LowercaseOfEveryCharacterIsPythons) {
  std::u32string text;
  for (const char32_t character : all_characters()) {
    if (!text.empty()) text += U'\n';
    text += character;
  }
  EXPECT_EQ(hash(lowercase(encode_utf8(text))), 0x65C7C290AC535152u);
}

TEST(Unicode, GraphemesAreWhatReadersSeeAsOneCharacter) {
  const auto first = [](const std::string& text) {
    return text.substr(0, first_grapheme_bytes(text));
  };
  for (const char* grapheme :
       {"a", "\u00e4", "e\u0301", "e\u0301\u0323", "\u2764\ufe0f", "\U0001f468\u200d\U0001f469",
        "\U0001f44d\U0001f3fd", "\u1112\u1161\u11ab", "\u6211", "\r\n", "\t"}) {
    EXPECT_EQ(first(grapheme), grapheme);
    EXPECT_EQ(first(grapheme + std::string("x")), grapheme);
    EXPECT_EQ(first(grapheme + std::string("\u6211")), grapheme);
  }
  EXPECT_EQ(first("\u0301a"), "\u0301");
}

TEST(Unicode, LettersAreOfEveryScript) {
  for (const char32_t c : std::u32string(U"aZ\u00e4\u6211\ud55c\u0939\u05d0\u02b0"))
    EXPECT_TRUE(is_letter(c));
  for (const char32_t c : std::u32string(U"1 .\u0301\u2122\U0001f600_")) EXPECT_FALSE(is_letter(c));
}

TEST(Unicode, TerminalsGiveTwoColumnsToChinese) {
  EXPECT_EQ(terminal_width(""), 0);
  EXPECT_EQ(terminal_width("fox"), 3);
  EXPECT_EQ(terminal_width("她买了书。"), 10);
  EXPECT_EQ(terminal_width("e\u0301\u2581\u2588"), 3) << "a combining mark, and blocks";
}

// In Python 3.12, which has Unicode 15.0, with the characters below U+20000, which hold every cased
// one:
// "".join(f"A{c}Σ\n{c}Σ\nAΣ{c}\nAΣ{c}B\n" for c in characters).lower().
TEST(Unicode, SigmaBesideEveryCharacterIsPythons) {
  if (utf8proc_unicode_version() != kGoldenUnicode)
    GTEST_SKIP() << "Unicode " << utf8proc_unicode_version();
  std::u32string text;
  for (const char32_t c : all_characters()) {
    if (c >= 0x20000) break;
    text.append(U"A").append(1, c).append(U"Σ\n").append(1, c).append(U"Σ\nAΣ");
    text.append(1, c).append(U"\nAΣ").append(1, c).append(U"B\n");
  }
  EXPECT_EQ(hash(lowercase(encode_utf8(text))), 0xD34C002EED0F9536u);
}

TEST(Unicode, Uppercase) {
  EXPECT_EQ(uppercase("Straße, élan ﬁ ǆ ωσς яё 中1"), "STRASSE, ÉLAN ﬁ Ǆ ΩΣΣ ЯЁ 中1");
}

TEST(Unicode, SpecialCasesOfLowercase) {
  EXPECT_EQ(lowercase("ΟΔΥΣΣΕΥΣ ΣΑΣ Σ"), "οδυσσευς σας σ");
  EXPECT_EQ(lowercase("İI"), "i\xCC\x87i");
  EXPECT_EQ(lowercase("GROẞE Straße 12"), "große straße 12");
}

TEST(Unicode, WhitespaceIsPythons) {
  EXPECT_EQ(std::ranges::count_if(all_characters(), is_whitespace), 29);
  for (const char32_t space : {0x09, 0x1C, 0x20, 0x85, 0xA0, 0x1680, 0x200A, 0x2028, 0x3000}) {
    EXPECT_TRUE(is_whitespace(space)) << static_cast<uint32_t>(space);
  }
  for (const char32_t other : {0x00, 0x21, 0x200B, 0x180E, 0xFEFF}) {
    EXPECT_FALSE(is_whitespace(other)) << static_cast<uint32_t>(other);
  }
}

TEST(Unicode, CategoriesAreUnicodes) {
  EXPECT_TRUE(is_punctuation(U'!') && is_punctuation(0x3001) && !is_punctuation(U'+'));
  EXPECT_TRUE(is_opening_bracket(U'(') && is_opening_bracket(0xFF08) && !is_opening_bracket(U')'));
  EXPECT_TRUE(is_closing_bracket(U']') && is_closing_bracket(0x300D) && !is_closing_bracket(U'['));
  EXPECT_TRUE(is_symbol(U'+') && is_symbol(0x20AC) && !is_symbol(U'!'));
  EXPECT_TRUE(is_number(U'7') && is_number(0x0663) && is_number(0x2167) && !is_number(U'a'));
  EXPECT_TRUE(is_lowercase(U'a') && is_lowercase(U'ß') && is_lowercase(0x10D0) &&
              !is_lowercase(U'A'));
}

TEST(Unicode, SplitsAtWhitespace) {
  const std::string text = "\u3000你 好\u00a0\t x\x1f";
  Pieces pieces, characters;
  split_at_whitespace(text, pieces);
  EXPECT_THAT(pieces, ElementsAre("你", "好", "x"));
  split_characters(text, characters);
  EXPECT_THAT(characters, ElementsAre("你", "好", "x"));
  EXPECT_EQ(without_trailing_whitespace("a b\u2028 \r"), "a b");
  EXPECT_EQ(without_trailing_whitespace(" \u3000"), "");
  EXPECT_EQ(without_leading_whitespace("\u2028 a b "), "a b ");
  EXPECT_EQ(without_leading_whitespace(" \u3000"), "");
}

}  // namespace
}  // namespace heed
