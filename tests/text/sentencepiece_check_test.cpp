#include "heed/text/sentencepiece_check.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heed {
namespace {

std::string field(int number, const std::string& bytes) {
  std::string text(1, char(number << 3 | 2));
  for (size_t rest = bytes.size();; rest >>= 7) {
    text += char((rest & 0x7F) | (rest >= 0x80 ? 0x80 : 0));
    if (rest < 0x80) break;
  }
  return text + bytes;
}

constexpr uint32_t kHasValue = 1u << 8;
constexpr uint32_t kValue = 1u << 31;
constexpr uint32_t offset(uint32_t distance) {
  return distance << 10;
}

// A table that maps "a" to the first of its replacements, to be damaged: the root's children
// stand at their bytes, the value of "a" beside it.
std::vector<uint32_t> units() {
  std::vector<uint32_t> result(256, 0);
  result['a'] = 'a' | kHasValue | offset(1);
  result['a' ^ 1] = kValue | 0;
  return result;
}

std::string table(const std::vector<uint32_t>& units, const std::string& replacements) {
  const auto size = uint32_t(units.size() * sizeof(uint32_t));
  std::string text(reinterpret_cast<const char*>(&size), sizeof size);
  text.append(reinterpret_cast<const char*>(units.data()), size);
  return text + replacements;
}

std::string model(const std::string& table, int spec = 3) {
  return field(spec, field(2, table));
}

bool sound(const std::vector<uint32_t>& units) {
  return has_sound_tables(model(table(units, std::string("A\0", 2))));
}

TEST(SentencePieceCheck, TakesASoundTableOrNone) {
  EXPECT_TRUE(sound(units()));
  EXPECT_TRUE(has_sound_tables(model("")));
  EXPECT_TRUE(has_sound_tables(""));
  EXPECT_TRUE(has_sound_tables(field(1, "a piece") + field(2, "the trainer's")));
}

TEST(SentencePieceCheck, RefusesATableThatLeavesItsBounds) {
  auto far = units();
  far['a'] = 'a' | offset(256);
  EXPECT_FALSE(sound(far));
  auto root = units();
  root[0] = offset(300);
  EXPECT_FALSE(sound(root));
  auto value = units();
  value['a' ^ 1] = kValue | 1;
  EXPECT_TRUE(sound(value));
  value['a' ^ 1] = kValue | 2;
  EXPECT_FALSE(sound(value));
  EXPECT_FALSE(sound(std::vector<uint32_t>(255, 0)));
  EXPECT_FALSE(sound({}));
  for (const int spec : {3, 5}) {
    EXPECT_FALSE(has_sound_tables(model(table(far, "A"), spec)));
  }
  // The last table wins with SentencePiece, so none may be unsound.
  EXPECT_FALSE(has_sound_tables(model(table(units(), "A")) + model(table(far, "A"))));
}

TEST(SentencePieceCheck, RefusesEndlessResults) {
  auto itself = units();
  itself['a'] = 'a' | kHasValue | offset('a');  // "a", "aa", "aaa", ... all have values
  itself[0] = kValue;
  EXPECT_FALSE(sound(itself));
  auto circle = units();
  circle['a'] = 'a' | kHasValue | offset(0);  // then 'b' leads back to the root's children
  circle['a' ^ 'b'] = 'b' | offset('a' ^ 'b');
  EXPECT_FALSE(sound(circle));
}

TEST(SentencePieceCheck, RefusesSizesThatDoNotFit) {
  const std::string good = table(units(), "A");
  EXPECT_TRUE(has_sound_tables(model(good)));
  for (const size_t length : {1, 4, 100, 1028}) {
    EXPECT_FALSE(has_sound_tables(model(good.substr(0, length)))) << length;
  }
  std::string odd = good;
  odd[0] = 1;
  EXPECT_FALSE(has_sound_tables(model(odd)));
  const std::string whole = model(good);
  for (size_t length = 1; length < whole.size(); ++length) {
    EXPECT_FALSE(has_sound_tables(whole.substr(0, length))) << length;
  }
}

TEST(SentencePieceCheck, RefusesWhatIsNoMessage) {
  EXPECT_FALSE(has_sound_tables("\x0b"));                              // a group
  EXPECT_FALSE(has_sound_tables(std::string(20, '\xff')));             // an endless number
  EXPECT_FALSE(has_sound_tables("\x1a\xff\xff\xff\xff\xff\xff\x7f"));  // a length far away
  EXPECT_TRUE(
      has_sound_tables(std::string("\x08\x01\x0d"
                                   "1234\x09"
                                   "12345678",
                                   16)));
}

}  // namespace
}  // namespace heed
