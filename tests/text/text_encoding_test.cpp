#include "heed/text/text_encoding.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/core/utf8.h"
#include "support/facts.h"

namespace heed::detail {
namespace {

using namespace std::string_literals;

// As a reader of the file gives its lines.
EncodingSample sample_of(const std::string& text) {
  EncodingSample sample;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    sample.add_line(line);
    if (find_invalid_utf8(line)) sample.add_invalid_line(line);
    at = end + 1;
  }
  return sample;
}

std::string encoding_of(const std::string& text) {
  return std::string(sample_of(text).encoding());
}

enum class Ends { little, big };

std::string utf16(const std::string& text, Ends ends) {
  std::string units;
  for (const char32_t character : decode_utf8(text)) {
    const char low = char(character & 0xFF), high = char(character >> 8);
    units += ends == Ends::little ? std::string{low, high} : std::string{high, low};
  }
  return units;
}

const std::string kEnglish = "It rains.\nThe dog sees a cat.\n";
const std::string kChinese = "今天下雨。\n狗看见一只猫。\n";
// kChinese in GB18030, and "Ŵ" of four bytes.
const std::string kGb18030 =
    "\xbd\xf1\xcc\xec\xcf\xc2\xd3\xea\xa1\xa3\n"
    "\xb9\xb7\xbf\xb4\xbc\xfb\xd2\xbb\xd6\xbb\xc3\xa8\xa1\xa3\n"
    "\x81\x30\x96\x36 ok\n"s;

TEST(TextEncoding, Utf8IsNoOtherEncoding) {
  for (const std::string& text : {""s, "\n\n"s, kEnglish, kChinese, "a\0b\nc\n"s})
    EXPECT_EQ(encoding_of(text), "");
  EXPECT_EQ(encoding_of("\0\0\0\0one\0 two\n"s + kEnglish), "") << "zeros at both sides";
  EXPECT_EQ(encoding_of("\xEF\xBB\xBF"s + kEnglish), "") << "a byte order mark of UTF-8";
}

TEST(TextEncoding, Utf16IsToldByItsMarkOrItsZeros) {
  for (const std::string& text : {kEnglish, kChinese, "老师在桌子上。\n上山\n"s}) {
    EXPECT_EQ(encoding_of(utf16(text, Ends::little)), "UTF-16LE");
    EXPECT_EQ(encoding_of(utf16(text, Ends::big)), "UTF-16BE");
    for (const Ends ends : {Ends::little, Ends::big})
      EXPECT_EQ(encoding_of(utf16("\uFEFF" + text, ends)), "UTF-16");
  }
  EXPECT_EQ(encoding_of(utf16("Without an end", Ends::little)), "UTF-16LE");
  EXPECT_EQ(encoding_of(utf16("Without an end", Ends::big)), "UTF-16BE");
  EXPECT_EQ(encoding_of("\xFF\xFE\0\0a\0\0\0\n\0\0\0"s), "UTF-32");
}

TEST(TextEncoding, Gb18030IsToldByItsPairs) {
  EXPECT_EQ(encoding_of(kGb18030), "GB18030");
  EXPECT_EQ(encoding_of(kEnglish + kGb18030), "GB18030");
  std::string cut = kGb18030;
  while (cut.size() < 1 << 16) cut = "x" + cut + kGb18030;
  EXPECT_EQ(encoding_of(cut), "GB18030") << "the sample may end within a character";
  std::string one_line;
  for (const char c : cut) one_line += c == '\n' ? ' ' : c;
  EXPECT_EQ(encoding_of(one_line), "GB18030");
}

TEST(TextEncoding, OtherEncodingsAreNotTakenForGb18030) {
  const std::vector<std::string> texts = {
      // Windows-1252: "für Käse, größer", "l'été déjà créée"
      "f\xfcr K\xe4se, gr\xf6\xdf"
      "er",
      "l'\xe9t\xe9 d\xe9j\xe0 cr\xe9\xe9"
      "e",
      // Windows-1251 and KOI8-R: "Завтра будет дождь, и мы не пойдём"
      "\xc7\xe0\xe2\xf2\xf0\xe0 \xe1\xf3\xe4\xe5\xf2 \xe4\xee\xe6\xe4\xfc, \xe8 \xec\xfb \xed\xe5 "
      "\xef\xee\xe9\xe4\xb8\xec",
      "\xfa\xc1\xd7\xd4\xd2\xc1 \xc2\xd5\xc4\xc5\xd4 \xc4\xcf\xd6\xc4\xd8, \xc9 \xcd\xd9 \xce\xc5 "
      "\xd0\xcf\xca\xc4\xa3\xcd",
      // EUC-KR: "오늘 날씨가 매우 좋습니다"
      "\xbf\xc0\xb4\xc3 \xb3\xaf\xbe\xbe\xb0\xa1 \xb8\xc5\xbf\xec \xc1\xc1\xbd\xc0\xb4\xcf\xb4\xd9",
      // EUC-JP: "今日は天気がとても良いです"
      "\xba\xa3\xc6\xfc\xa4\xcf\xc5\xb7\xb5\xa4\xa4\xac\xa4\xc8\xa4\xc6\xa4\xe2\xce\xc9\xa4\xa4\xa4"
      "\xc7\xa4\xb9",
      // Big5: "今天我們去公園吧"
      "\xa4\xb5\xa4\xd1\xa7\xda\xad\xcc\xa5\x68\xa4\xbd\xb6\xe9\xa7\x61"};
  for (const std::string& text : texts) EXPECT_EQ(encoding_of(text), "") << text;
}

TEST(TextEncoding, TheAdviceNamesTheSides) {
  const EncodingSample sound = sample_of(kEnglish), chinese = sample_of(kGb18030),
                       wide = sample_of(utf16(kEnglish, Ends::little));
  EXPECT_EQ(conversion_advice(sound, sound), "");
  EXPECT_THAT(conversion_advice(chinese, sound), HasFacts("source iconv -f GB18030"));
  EXPECT_THAT(conversion_advice(sound, chinese), HasFacts("target iconv -f GB18030"));
  EXPECT_THAT(conversion_advice(chinese, wide), HasFacts("source GB18030 target UTF-16LE"));
  EXPECT_THAT(conversion_advice(wide, wide), HasFacts("texts UTF-16LE"));
}

}  // namespace
}  // namespace heed::detail
