// Byte-level BPE as GPT-2 has it (Radford et al., 2019): a text is its bytes in UTF-8, written as
// one printable character each; within a word, pairs are merged in the order in which they were
// learned. Every text has tokens, and white space is kept. Internal to the text layer.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/text/token_model.h"

namespace heed::detail {

// Two neighbouring tokens and the one that replaces them.
struct Merge {
  TokenId left, right, merged;
};

// A text that is one token, whatever stands beside it.
struct AddedToken {
  std::string text;
  TokenId id;
};

// The content of a tokenizer.json.
struct ByteLevelParts {
  std::shared_ptr<const Vocabulary> vocabulary;  // pieces as texts of byte characters
  std::vector<Merge> merges;                     // in the order in which they apply
  // Those of the first list are looked for before those of the second. Without the token that ends
  // a text: a text cannot end itself.
  std::array<std::vector<AddedToken>, 2> added;
  bool add_prefix_space = false;  // before a text that does not begin with a space
  bool ignore_merges = false;     // a word that is a piece is one token, whatever the merges make
  std::string file;
};

// The character of a byte in pieces: a printable byte itself, any other one from U+0100 on.
char32_t byte_character(uint8_t byte);
// The bytes of a text of such characters; std::nullopt if another is among them.
std::optional<std::string> bytes_of_characters(std::string_view text);

class ByteLevelBpe : public TokenModel {
 public:
  // Error, naming `name`, if the vocabulary lacks a byte.
  ByteLevelBpe(ByteLevelParts parts, const std::string& name);

  Encoding encode(std::string_view text) const override;
  Decoding decode(std::span<const TokenId> ids) const override;
  std::string_view language_code(std::string_view) const override { return {}; }
  std::string_view prefix(std::string_view text, int64_t max_ids) const override;
  bool folds_case() const override { return false; }
  const std::string& file() const override { return parts_.file; }
  std::string normalizer() const override { return {}; }
  bool keeps_white_space() const override { return true; }
  const Vocabulary& vocabulary() const override { return *parts_.vocabulary; }
  const BytePieces& byte_pieces() const override { return no_byte_pieces_; }

 private:
  class Merging;
  // Looks for the added tokens of list `list` and of those after it.
  void encode_beside_added(std::string_view text, size_t begin, size_t list,
                           Merging& merging) const;
  // A text without added tokens, which begins at this byte of the whole.
  void encode_words(std::string_view text, size_t begin, Merging& merging) const;
  // The longest added token of the list at the beginning of a text; null if there is none.
  const AddedToken* added_at(std::string_view text, size_t list) const;

  struct RankedMerge {
    int32_t rank;
    TokenId merged;
  };
  static uint64_t key_of(TokenId left, TokenId right) {
    return uint64_t(uint32_t(left)) << 32 | uint32_t(right);
  }

  ByteLevelParts parts_;  // the added tokens are sorted by their texts
  std::array<std::array<bool, 256>, 2> begins_added_{};
  std::array<TokenId, 256> byte_ids_;
  std::unordered_map<uint64_t, RankedMerge> merges_;           // by key_of()
  std::vector<std::string> bytes_;                             // of each piece
  std::unordered_map<std::string_view, TokenId> whole_words_;  // by bytes, with ignore_merges
  size_t longest_ = 1;                                         // piece, in bytes
  const BytePieces no_byte_pieces_;
};

}  // namespace heed::detail
