// The pieces for single bytes of vocabularies with byte fallback.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heed {

// The byte of a byte piece, 0x41 for "<0x41>"; std::nullopt for any other piece.
inline std::optional<uint8_t> byte_of(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || !piece.ends_with('>')) return {};
  uint8_t byte = 0;
  const char* const end = piece.data() + 5;
  if (std::from_chars(piece.data() + 3, end, byte, 16).ptr != end) return {};
  return byte;
}

}  // namespace heed
