// The units by which alignments count the text of a line, and the tokens of each.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "heed/text/tokenizer.h"

namespace heed {

// Units [begin, end) of a text, counted from 0.
struct UnitRange {
  int64_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
  friend bool operator==(const UnitRange&, const UnitRange&) = default;
};

// Pieces [begin, end).
using PieceRange = UnitRange;

// The units of a text as it was given, not of its normalized form: words between white space
// (core/unicode.h) and, in text without spaces between its words (core/scripts.h, is_unspaced),
// characters.
class TextUnits {
 public:
  explicit TextUnits(std::string_view text);

  int64_t count() const { return count_; }
  // The text of each unit, without white space; `text` is that of the constructor.
  std::vector<std::string_view> texts(std::string_view text) const;
  // The units of a token that covers the bytes [begin, end): those of its characters. Format
  // characters (U+200B), which normalization removes, are ignored in a token that has other
  // characters. A token without characters, or of white space with or without format characters, is
  // part of the unit that follows; at the end of the text it has no unit.
  UnitRange of(size_t begin, size_t end) const;
  // The units of consecutive tokens, the first of which begins at byte `begin`; `ends` count from
  // there (Encoding::ends). The ranges are in the order of the tokens.
  std::vector<UnitRange> of_tokens(const std::vector<size_t>& ends, size_t begin = 0) const;

 private:
  enum class Kind { white_space, format, other };
  struct Character {
    size_t begin = 0;
    int64_t unit = 0;
    Kind kind = Kind::other;
  };
  std::vector<Character> characters_;
  int64_t count_ = 0;
};

// The tokens of each unit, in order, from the first unit of the tokens to the last. Several
// characters of text without spaces may be in one token, and share it; a unit without a token has
// an empty range.
std::vector<PieceRange> pieces_of_units(const std::vector<UnitRange>& tokens);

// The same of a whole text and its tokens.
std::vector<PieceRange> word_pieces(const Tokenizer& tokenizer, std::string_view text);

}  // namespace heed
