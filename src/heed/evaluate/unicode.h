// The little of Unicode that metrics need, as Python's str does it, so that scores are those of
// sacreBLEU: whitespace of str.split() and letters of str.lower().
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

bool is_whitespace(char32_t character);

// The punctuation and symbols of ASCII; false for all bytes of other characters.
constexpr bool is_ascii_punctuation(char byte) {
  return (byte >= '!' && byte <= '/') || (byte >= ':' && byte <= '@') ||
         (byte >= '[' && byte <= '`') || (byte >= '{' && byte <= '~');
}

// Valid UTF-8 in lowercase, the two special cases included: a capital sigma at the end of a word
// becomes a final sigma, and I with a dot becomes i and a combining dot.
std::string lowercase(std::string_view text);

// The text without the whitespace at its end.
std::string_view without_trailing_whitespace(std::string_view text);

// Appends the pieces between runs of whitespace; they point into the text.
void split_at_whitespace(std::string_view text, std::vector<std::string_view>& pieces);

// Appends every character that is not whitespace; they point into the text.
void split_characters(std::string_view text, std::vector<std::string_view>& characters);

}  // namespace heed
