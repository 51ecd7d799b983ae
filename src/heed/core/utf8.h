// Decoding, validating, repairing and encoding UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

// Replaces bytes that are not valid UTF-8.
inline constexpr char32_t kReplacementCharacter = 0xFFFD;

// One step through a text. `bytes` is the length of the character, at least 1. Where the text is
// not UTF-8, value is kReplacementCharacter and bytes the length of the longest valid beginning of
// a character there, as Unicode recommends (chapter 3.9) and Python does.
struct Utf8Character {
  char32_t value;
  size_t bytes;
  bool valid;
};

// The first byte of a character of several bytes: how many follow, its payload, and the range of
// the second byte (narrower than 80..BF where that keeps out overlong forms, surrogates and too
// large values).
struct Utf8Lead {
  int following;
  char32_t payload;
  uint8_t second_first, second_last;
};
std::optional<Utf8Lead> utf8_lead(uint8_t byte);

// Reads the character at the beginning of a text that is not empty. Overlong forms, surrogates and
// values above U+10FFFF are not valid.
Utf8Character first_utf8_character(std::string_view text);

// The same for the character at the end of a text that is not empty.
Utf8Character last_utf8_character(std::string_view text);

// The position of the first byte that does not belong to a valid character; nothing if all do.
std::optional<size_t> find_invalid_utf8(std::string_view text);

// The text with every broken sequence replaced by U+FFFD; a valid text comes back unchanged.
std::string replace_invalid_utf8(std::string_view text);

// The number of code points of a valid text.
int64_t count_characters(std::string_view text);

// Bytes to code points, broken sequences as U+FFFD.
std::u32string decode_utf8(std::string_view text);

// The beginning of a text for a message: at most so many characters, and "..." where it is longer.
std::string excerpt(std::string_view text, size_t characters = 200);

// Appends one code point; a value that is not a Unicode scalar value is written as U+FFFD.
void append_utf8(std::string& text, char32_t character);

// Code points to bytes.
std::string encode_utf8(std::u32string_view text);

}  // namespace heed
