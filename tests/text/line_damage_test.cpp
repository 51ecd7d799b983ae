#include "heed/text/line_damage.h"

#include <gtest/gtest.h>

#include "heed/core/utf8.h"

namespace heed::detail {
namespace {

// As a reader that takes UTF-8 for Latin-1 would write it.
std::string encoded_twice(const std::string& text) {
  std::string twice;
  for (const char byte : text) append_utf8(twice, static_cast<unsigned char>(byte));
  return twice;
}

TEST(LineDamage, SoundTextHasNone) {
  for (const char* line :
       {"", "plain", "Grüße aus Köln\t– „schön“", "«CAFÉ»", "dans un café…»", "NÃO", "中文。",
        "Ünal", "naïve Ætherwelt", "Þórr Ð", "10 °C ± 2 × 3", "😀"}) {
    const LineDamage damage = find_damage(line);
    EXPECT_FALSE(damage.invalid || damage.replaced || damage.double_encoded || damage.control ||
                 damage.carriage_return)
        << line;
    EXPECT_EQ(repair_double_encoding(line), line);
  }
}

TEST(LineDamage, InvisibleCharactersAreFoundUnlessTheLanguageNeedsThem) {
  for (const auto& [line, character] : {std::pair{"mother\u200bs book", 0x200B},
                                        {"soft\u00ADhyphen", 0xAD},
                                        {"a\u200E b", 0x200E},
                                        {"ab\u200Ccd", 0x200C},
                                        {"你\u2060好", 0x2060},
                                        {"\u202Eabc", 0x202E},
                                        {"中\u200B文", 0x200B}})
    EXPECT_EQ(find_damage(line).invisible, char32_t(character)) << line;
  for (const char* line : {"می\u200cخواهم", "👩\u200d💻", "क्\u200dष", "ភាសា\u200bខ្មែរ", "ไทย\u200bคำ",
                           "plain", "a\u00A0b"})
    EXPECT_EQ(find_damage(line).invisible, 0u) << line;
  EXPECT_EQ(visible("a\u200Bb", 80), "a<U+200B>b");
  EXPECT_EQ(visible("می\u200cخواهم", 80), "می\u200cخواهم");
}

TEST(LineDamage, DoubleEncodingIsFoundAndUndone) {
  for (const char* line :
       {"Köln", "über die Brücke", "l’été", "中文", "Москва", "10 € – ja", "Àß"}) {
    const std::string twice = encoded_twice(line);
    EXPECT_TRUE(find_damage(twice).double_encoded) << twice;
    EXPECT_FALSE(find_damage(twice).control) << twice;
    EXPECT_EQ(repair_double_encoding(twice), line);
  }
  // By Windows-1252, where dashes and quotes stand above 0x7F.
  EXPECT_EQ(repair_double_encoding("donâ€™t â€“ Ã¼ber"), "don’t – über");
  EXPECT_TRUE(find_damage("donâ€™t").double_encoded);
  EXPECT_EQ(repair_double_encoding("Ãœbung"), "Übung");
}

TEST(LineDamage, WhatCanBeUndoneIsRepaired) {
  for (const auto& [line, repaired] :
       {std::pair{"plain\tcolumn ", "plain\tcolumn "},
        {"donâ€™t â€“ Ã¼ber\r", "don’t – über"},
        {"a\x01"
         "b\vc\u2028d\u0085e\uFEFF",
         "ab c d e"},
        {"mother\u200bs soft\u00ADhyphen\u200E", "mothers softhyphen"},
        {"می\u200cخواهم 👩\u200d💻", "می\u200cخواهم 👩\u200d💻"},
        {"\xff\u200b!", "\xff!"}})
    EXPECT_EQ(repaired_line(line), repaired);
  EXPECT_EQ(repaired_line(encoded_twice("Àß") + "\x02"), "Àß");
}

TEST(LineDamage, OtherDamageIsNamed) {
  EXPECT_TRUE(find_damage("K\xF6ln").invalid);
  EXPECT_FALSE(find_damage("K\xF6ln").replaced);
  EXPECT_TRUE(find_damage("K\xEF\xBF\xBDln").replaced);
  EXPECT_TRUE(find_damage("a\r").carriage_return);
  EXPECT_FALSE(find_damage("a\r").control);
  EXPECT_TRUE(find_damage("a\rb").control);
  for (const char* line : {"\x01", "a\x1B[0m", "\x7F", "\xC2\x85", "\xEF\xBB\xBFx", "a\u2028b"}) {
    EXPECT_TRUE(find_damage(line).control) << visible(line, 9);
  }
  EXPECT_TRUE(find_damage(std::string_view("a\0b", 3)).control);
}

TEST(LineDamage, WhatIsShownHasNoControlsAndALimit) {
  EXPECT_EQ(visible("a\x1B[0m\tb\x7F\xC2\x85", 20), "a␛[0m␉b␡<U+0085>");
  EXPECT_EQ(visible("K\xF6ln", 20), "K\uFFFDln");
  EXPECT_EQ(visible("a\u202Eb", 20), "a<U+202E>b");
  EXPECT_EQ(visible("äöü", 3), "äöü");
  EXPECT_EQ(visible("äöüß", 3), "äöü…");
}

}  // namespace
}  // namespace heed::detail
