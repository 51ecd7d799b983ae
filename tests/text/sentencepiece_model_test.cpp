#include "heed/text/sentencepiece_model.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/bytes.h"

namespace heed::detail {
namespace {

constexpr uint32_t kHasValue = 1u << 8;
constexpr uint32_t kValue = 1u << 31;
constexpr uint32_t offset(uint32_t distance) {
  return distance << 10;
}

bool sound(const std::vector<uint32_t>& units) {
  return is_valid_model(normalizer_field(normalizer_table(units, std::string("A\0", 2))));
}

TEST(SentencePieceCheck, TakesASoundTableOrNone) {
  EXPECT_TRUE(sound(normalizer_units()));
  EXPECT_TRUE(is_valid_model(message_field(3, message_field(2, ""))));
  EXPECT_TRUE(is_valid_model(""));
  EXPECT_TRUE(is_valid_model(message_field(1, message_field(1, "a piece")) +
                             message_field(2, "the trainer's")));
}

TEST(SentencePieceCheck, RefusesATableThatLeavesItsBounds) {
  auto far = normalizer_units();
  far['a'] = 'a' | offset(256);
  EXPECT_FALSE(sound(far));
  auto root = normalizer_units();
  root[0] = offset(300);
  EXPECT_FALSE(sound(root));
  auto value = normalizer_units();
  value['a' ^ 1] = kValue | 1;
  EXPECT_TRUE(sound(value));
  value['a' ^ 1] = kValue | 2;
  EXPECT_FALSE(sound(value));
  EXPECT_FALSE(sound(std::vector<uint32_t>(255, 0)));
  EXPECT_FALSE(sound({}));
  for (const int spec : {3, 5}) {
    EXPECT_FALSE(is_valid_model(normalizer_field(normalizer_table(far, "A"), spec)));
  }
  // The last table wins with SentencePiece, so none may be unsound.
  EXPECT_FALSE(is_valid_model(normalizer_field(normalizer_table(normalizer_units(), "A")) +
                              normalizer_field(normalizer_table(far, "A"))));
}

TEST(SentencePieceCheck, RefusesEndlessResults) {
  auto itself = normalizer_units();
  itself['a'] = 'a' | kHasValue | offset('a');  // "a", "aa", "aaa", ... all have values
  itself[0] = kValue;
  EXPECT_FALSE(sound(itself));
  auto circle = normalizer_units();
  circle['a'] = 'a' | kHasValue | offset(0);  // then 'b' leads back to the root's children
  circle['a' ^ 'b'] = 'b' | offset('a' ^ 'b');
  EXPECT_FALSE(sound(circle));
}

TEST(SentencePieceCheck, RefusesSizesThatDoNotFit) {
  const std::string good = normalizer_table(normalizer_units(), "A");
  EXPECT_TRUE(is_valid_model(normalizer_field(good)));
  for (const size_t length : {1, 4, 100, 1028}) {
    EXPECT_FALSE(is_valid_model(normalizer_field(good.substr(0, length)))) << length;
  }
  std::string odd = good;
  odd[0] = 1;
  EXPECT_FALSE(is_valid_model(normalizer_field(odd)));
  const std::string whole = normalizer_field(good);
  for (size_t length = 1; length < whole.size(); ++length) {
    EXPECT_FALSE(is_valid_model(whole.substr(0, length))) << length;
  }
}

TEST(SentencePieceCheck, RefusesWhatIsNoMessage) {
  EXPECT_FALSE(is_valid_model("\x0b"));                              // a group
  EXPECT_FALSE(is_valid_model(std::string(20, '\xff')));             // an endless number
  EXPECT_FALSE(is_valid_model("\x1a\xff\xff\xff\xff\xff\xff\x7f"));  // a length far away
  EXPECT_TRUE(
      is_valid_model(std::string("\x08\x01\x0d"
                                 "1234\x09"
                                 "12345678",
                                 16)));
}

// The library keeps 32 bits of a tag: a longer one would show us another field than it.
TEST(SentencePieceCheck, RefusesTagsThatTheLibraryReadsOtherwise) {
  auto far = normalizer_units();
  far['a'] = 'a' | offset(256);
  const std::string hidden = normalizer_field(normalizer_table(far, "A"));
  EXPECT_FALSE(is_valid_model(hidden));
  const std::string tag("\x9a\x80\x80\x80\x10", 5);  // 2^32 + 3 * 8 + 2
  EXPECT_FALSE(is_valid_model(tag + hidden.substr(1)));
}

TEST(SentencePieceCheck, RefusesReplacementsThatFillTheMemory) {
  const auto replaced_by = [](size_t length) {
    return is_valid_model(
        normalizer_field(normalizer_table(normalizer_units(), std::string(length, 'x') + '\0')));
  };
  EXPECT_TRUE(replaced_by(512));
  EXPECT_FALSE(replaced_by(513));
  EXPECT_FALSE(replaced_by(100'000));
}

TEST(SentencePieceCheck, RefusesPiecesThatTheLibraryCannotHold) {
  const auto piece = [](const std::string& text, const std::string& more = "") {
    return is_valid_model(message_field(1, message_field(1, text) + more));
  };
  EXPECT_TRUE(piece("a"));
  EXPECT_TRUE(piece(std::string(65536, 'a')));
  EXPECT_FALSE(piece(std::string(65537, 'a')));
  EXPECT_TRUE(piece(std::string(4096, 'a'), "\x18\x05"));  // unused
  EXPECT_FALSE(piece(std::string(4097, 'a'), "\x18\x05"));
  EXPECT_FALSE(piece(""));
  EXPECT_FALSE(piece(std::string("a\0b", 3))) << "its trie ends a piece at NUL";
  EXPECT_TRUE(piece("a", std::string("\x15\0\0\x80\x3f", 5)));   // a score of 1
  EXPECT_FALSE(piece("a", std::string("\x15\0\0\x80\x7f", 5)));  // infinity
  EXPECT_FALSE(piece("a", std::string("\x15\0\0\xc0\xff", 5)));  // no number
}

// SentencePiece looks up the user's symbols into 64 places of its stack, and reads them all even
// where it found more.
TEST(SentencePieceCheck, RefusesTooManySymbolsThatBeginEachOther) {
  const auto nested = [](size_t count) {
    std::string model;
    for (size_t length = count; length > 0; --length) model += user_piece(std::string(length, 'a'));
    return model;
  };
  EXPECT_TRUE(is_valid_model(nested(64)));
  EXPECT_FALSE(is_valid_model(nested(65)));
  std::string apart;
  for (int i = 0; i < 200; ++i) apart += user_piece("s" + std::to_string(100 + i));
  EXPECT_TRUE(is_valid_model(apart));
}

TEST(SentencePieceFields, LeavesOutTheFieldsOfANumber) {
  const std::string kept = message_field(1, message_field(1, "a")) + message_field(2, "t");
  EXPECT_EQ(without_field(kept + message_field(4, "examples"), 4), kept);
  EXPECT_EQ(without_field(message_field(4, "") + kept, 4), kept);
  EXPECT_EQ(without_field("", 4), "");
}

TEST(SentencePieceFields, ReplacesTheNormalizer) {
  const std::string rest = message_field(1, message_field(1, "a")) + message_field(2, "t");
  const std::string first = message_field(1, "nmt_nfkc"), longer(300, 'x');
  const std::string model = message_field(3, first) + rest;
  EXPECT_EQ(normalizer_of(model), first);
  EXPECT_EQ(with_normalizer(model, longer), rest + message_field(3, longer));
  EXPECT_EQ(normalizer_of(with_normalizer(model, longer)), longer);
  EXPECT_EQ(normalizer_of(rest), "");
  // The parts of a message that occurs twice are one message.
  EXPECT_EQ(normalizer_of(model + message_field(3, longer)), first + longer);
}

}  // namespace
}  // namespace heed::detail
