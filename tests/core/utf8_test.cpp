#include "heed/core/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/core/error.h"

namespace heed {
namespace {

bool is_scalar_value(char32_t value) {
  return value < 0xD800 || value > 0xDFFF;
}

TEST(Utf8, EveryCodePointComesBack) {
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (!is_scalar_value(value)) continue;
    std::string text;
    append_utf8(text, value);
    const Utf8Character character = first_utf8_character(text);
    ASSERT_EQ(character.value, value);
    ASSERT_EQ(character.bytes, text.size());
    ASSERT_TRUE(character.valid);
  }
}

TEST(Utf8, WhatIsNoScalarValueIsWrittenAsReplacement) {
  EXPECT_EQ(encode_utf8({U"a\0b", 3}), std::string("a\0b", 3));
  for (const char32_t value : {char32_t{0xD800}, char32_t{0xDFFF}, char32_t{0x110000}}) {
    EXPECT_EQ(encode_utf8({&value, 1}), "\xEF\xBF\xBD");
  }
}

// The position is that of Python's UnicodeDecodeError.start, the mended text that of
// bytes.decode(errors="replace").
TEST(Utf8, BrokenTextIsFoundAndMended) {
  struct Case {
    std::string text;
    size_t position;
    std::u32string mended;
  };
  const std::vector<Case> cases = {
      {"\x80", 0, U"\uFFFD"},
      {"ab\xFFq", 2, U"ab\uFFFDq"},
      {"\xC0\x80", 0, U"\uFFFD\uFFFD"},                      // an overlong zero
      {"x\xC3", 1, U"x\uFFFD"},                              // cut after one byte of two
      {"\xE4\xBD", 0, U"\uFFFD"},                            // cut after two bytes of three
      {"\xE4\xBD!", 0, U"\uFFFD!"},                          // the third byte is another's
      {"\xE0\x80\x80", 0, U"\uFFFD\uFFFD\uFFFD"},            // overlong
      {"\xED\xA0\x80", 0, U"\uFFFD\uFFFD\uFFFD"},            // a surrogate
      {"\xF0\x9F\x98", 0, U"\uFFFD"},                        // cut after three bytes of four
      {"\xF0\x80\x80\x80", 0, U"\uFFFD\uFFFD\uFFFD\uFFFD"},  // overlong
      {"\xF4\x90\x80\x80", 0, U"\uFFFD\uFFFD\uFFFD\uFFFD"},  // above U+10FFFF
      {"12345678\xE4\xBD\xA0\xF5.", 11, U"12345678\u4F60\uFFFD."},
  };
  for (const Case& broken : cases) {
    EXPECT_EQ(find_invalid_utf8(broken.text), broken.position) << broken.text;
    EXPECT_EQ(decode_utf8(broken.text), broken.mended) << broken.text;
    EXPECT_EQ(replace_invalid_utf8(broken.text), encode_utf8(broken.mended)) << broken.text;
  }
}

TEST(Utf8, ValidTextIsLeftAlone) {
  const std::string texts[] = {"", "plain ASCII, longer than eight bytes",
                               "Größe 你好 😀 e\xCC\x81"};
  for (const std::string& text : texts) {
    EXPECT_EQ(find_invalid_utf8(text), std::nullopt);
    EXPECT_EQ(replace_invalid_utf8(text), text);
    EXPECT_EQ(encode_utf8(decode_utf8(text)), text);
  }
}

// Random bytes, most of them of characters with several bytes.
TEST(Utf8, ReadingBackwardsFindsTheSameCharacters) {
  constexpr std::string_view kBytes = "a\x80\x90\xA0\xBF\xC3\xE0\xE4\xED\xF0\xF1\xF4\xFF";
  uint32_t state = 1;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text;
    for (int i = 0; i < 9; ++i) {
      state = state * 1664525 + 1013904223;
      text += kBytes[(state >> 16) % kBytes.size()];
    }
    std::vector<std::pair<char32_t, size_t>> forwards, backwards;
    for (std::string_view rest = text; !rest.empty();) {
      const Utf8Character character = first_utf8_character(rest);
      forwards.emplace_back(character.value, character.bytes);
      rest.remove_prefix(character.bytes);
    }
    for (std::string_view rest = text; !rest.empty();) {
      const Utf8Character character = last_utf8_character(rest);
      backwards.emplace(backwards.begin(), character.value, character.bytes);
      rest.remove_suffix(character.bytes);
    }
    ASSERT_EQ(forwards, backwards);
  }
}

TEST(Utf8, ExcerptsEndBetweenCharacters) {
  EXPECT_EQ(excerpt("", 3), "");
  EXPECT_EQ(excerpt("你好吗", 3), "你好吗");
  EXPECT_EQ(excerpt("你好吗?", 3), "你好吗...");
  EXPECT_EQ(excerpt("\xff\xff\xff", 2), "\xff\xff...");
  EXPECT_EQ(excerpt(std::string(201, 'a')), std::string(200, 'a') + "...");
}

TEST(Utf8, AnEmptyTextHasNoFirstCharacter) {
  EXPECT_THROW(first_utf8_character(""), Bug);
}

}  // namespace
}  // namespace heed
