// Tables of Unicode, written by tools/make_unicode_tables.py. Read them through unicode.h.
#pragma once

#include <cstdint>
#include <span>

namespace heed {

// Both ends belong to it. The ranges of a table rise and do not overlap.
struct CharacterRange {
  char32_t first;
  char32_t last;
};

// Every step-th character from first to last becomes lowercase by adding the difference.
struct LowercaseRange {
  char32_t first;
  char32_t last;
  uint32_t step;
  int32_t difference;
};

extern const std::span<const CharacterRange> kWhitespace;
// Cased characters that are not case-ignorable.
extern const std::span<const CharacterRange> kCased;
extern const std::span<const CharacterRange> kCaseIgnorable;
extern const std::span<const LowercaseRange> kLowercase;
// The general categories P, S and N.
extern const std::span<const CharacterRange> kPunctuation;
extern const std::span<const CharacterRange> kSymbols;
extern const std::span<const CharacterRange> kNumbers;

}  // namespace heed
