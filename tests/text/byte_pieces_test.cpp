#include "heed/text/byte_pieces.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/core/rng.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

// </s>, <unk>, "a", the pieces of all bytes, <pad>.
Vocabulary vocabulary_of_bytes() {
  std::vector<std::string> pieces{"</s>", "<unk>", "a"};
  for (int byte = 0; byte < 256; ++byte) pieces.push_back(fmt::format("<0x{:02X}>", byte));
  pieces.push_back("<pad>");
  return Vocabulary(pieces);
}

TokenId id_of(uint8_t byte) {
  return TokenId(3 + byte);
}

std::vector<TokenId> ids_of(std::string_view bytes) {
  std::vector<TokenId> ids;
  for (const char byte : bytes) ids.push_back(id_of(uint8_t(byte)));
  return ids;
}

bool within_character(const BytePieces& pieces, TokenId id) {
  const std::span<const TokenId> all = pieces.within_characters();
  EXPECT_TRUE(std::ranges::is_sorted(all));
  return std::ranges::binary_search(all, id);
}

TEST(BytePieces, WhatMayFollowIsWhatMakesCharacters) {
  const BytePieces pieces(vocabulary_of_bytes());
  Random random(3);
  // Whoever follows the rules spells valid UTF-8, and every character can be spelled.
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<TokenId> ids{2};
    std::string text;
    const auto add = [&](TokenId id) {
      ids.push_back(id);
      text += char(*pieces.byte(id));
    };
    for (;;) {
      const TokenId id = id_of(uint8_t(random.below(256)));
      if (!within_character(pieces, id)) {
        add(id);
        break;
      }
    }
    for (;;) {
      const std::vector<TokenId> next = pieces.ids(pieces.expected_after(ids));
      if (next.empty()) break;
      add(next[random.below(next.size())]);
    }
    ASSERT_FALSE(find_invalid_utf8(text).has_value()) << trial;
    const char32_t drawn = char32_t(random.below(0x110000));
    const std::string character = encode_utf8(std::u32string(1, drawn));
    std::vector<TokenId> spelled{2};
    for (size_t i = 0; i < character.size(); ++i) {
      const TokenId id = id_of(uint8_t(character[i]));
      EXPECT_TRUE(i == 0 ? !within_character(pieces, id)
                         : pieces.expected_after(spelled).contains(uint8_t(character[i])));
      spelled.push_back(id);
    }
    EXPECT_TRUE(pieces.expected_after(spelled).empty());
  }
}

TEST(BytePieces, OthersHaveNone) {
  const BytePieces pieces(vocabulary_of_bytes());
  EXPECT_FALSE(pieces.byte(2).has_value());
  EXPECT_FALSE(within_character(pieces, 0) || within_character(pieces, 2));
  EXPECT_TRUE(pieces.expected_after({}).empty());
  EXPECT_TRUE(pieces.expected_after(ids_of("\x80\x80\x80\x80")).empty());
  const BytePieces none(Vocabulary({"</s>", "<unk>", "a", "<pad>"}));
  EXPECT_TRUE(none.empty() && none.within_characters().empty());
}

TEST(BytePieces, PartsOfCharactersAreLeftOut) {
  const BytePieces pieces(vocabulary_of_bytes());
  const auto kept = [&](std::string_view bytes) {
    std::vector<TokenId> ids = ids_of(bytes);
    ids.insert(ids.begin(), 2);
    ids.push_back(2);
    std::vector<TokenId> whole = pieces.whole_characters(ids);
    EXPECT_TRUE(whole.front() == 2 && whole.back() == 2);
    std::string text;
    for (const TokenId id : whole)
      if (const auto byte = pieces.byte(id)) text += char(*byte);
    return text;
  };
  EXPECT_EQ(kept("\u2603x"), "\u2603x");
  EXPECT_EQ(kept("\xe2\x98"), "");
  EXPECT_EQ(kept("\xe2\x98x\u2603\x83"), "x\u2603");
  EXPECT_EQ(kept("\xf0\x9f\x98"), "");
}

}  // namespace
}  // namespace heed
