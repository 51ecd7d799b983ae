// The pieces for single bytes of vocabularies with byte fallback: they spell characters that have
// no piece of their own.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "heed/text/vocabulary.h"

namespace heed {

// The byte of a byte piece, 0x41 for "<0x41>"; std::nullopt for any other piece.
inline std::optional<uint8_t> byte_of(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || !piece.ends_with('>')) return {};
  uint8_t byte = 0;
  const char* const end = piece.data() + 5;
  if (std::from_chars(piece.data() + 3, end, byte, 16).ptr != end) return {};
  return byte;
}

// The bytes that may follow the beginning of a character; none of an empty range.
struct NextBytes {
  uint8_t first = 1, last = 0;
  bool empty() const { return first > last; }
  bool contains(uint8_t byte) const { return byte >= first && byte <= last; }
};

// The byte pieces of a vocabulary by their ids.
class BytePieces {
 public:
  BytePieces() { by_byte_.fill(kNoToken); }  // none
  explicit BytePieces(const Vocabulary& vocabulary);

  bool empty() const { return ids_.empty(); }
  // The byte of an id; std::nullopt if it is another piece.
  std::optional<uint8_t> byte(TokenId id) const;
  // Where the ids end within a character, the bytes that continue it; else empty.
  NextBytes expected_after(std::span<const TokenId> ids) const;
  // The ids of those bytes that begin no character, sorted.
  std::span<const TokenId> within_characters() const { return within_; }
  // The ids of those of these bytes that the vocabulary has.
  std::vector<TokenId> ids(const NextBytes& bytes) const;
  // The ids without those of bytes that are no part of a whole character.
  std::vector<TokenId> whole_characters(std::span<const TokenId> ids) const;

 private:
  std::vector<int16_t> ids_;          // the byte of each id, or -1; empty without byte pieces
  std::array<TokenId, 256> by_byte_;  // kNoToken for none
  std::vector<TokenId> within_;
};

}  // namespace heed
