// Unicode for metrics and filters, equal to Python's str, so that scores equal sacreBLEU's:
// whitespace as in str.split(), lowercase as in str.lower(), and the general categories. The
// properties of characters are utf8proc's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

bool is_whitespace(char32_t character);
// Whether a text has nothing but white space.
bool is_blank(std::string_view text);

// Marks that set the direction of the text around them: of the property Bidi_Control.
constexpr bool is_bidi_control(char32_t c) {
  return c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

// Characters of the general categories P, S and N.
bool is_punctuation(char32_t character);
bool is_symbol(char32_t character);
bool is_number(char32_t character);

// Characters of the general categories Ps and Pe: brackets, also those of Chinese.
bool is_opening_bracket(char32_t character);
bool is_closing_bracket(char32_t character);

// Characters of the general category L.
bool is_letter(char32_t character);

// The value of a decimal digit, 0 to 9: of ASCII, full width, or a script of core/scripts.h.
std::optional<int> decimal_digit(char32_t character);

// Characters of the general category Cf, which are not seen, such as U+200B and U+FEFF.
bool is_format_character(char32_t character);

// Characters of the general category Ll.
bool is_lowercase(char32_t character);

// The punctuation and symbols of ASCII; false for all bytes of other characters.
constexpr bool is_ascii_punctuation(char byte) {
  return (byte >= '!' && byte <= '/') || (byte >= ':' && byte <= '@') ||
         (byte >= '[' && byte <= '`') || (byte >= '{' && byte <= '~');
}

// Bytes of the first grapheme cluster, what readers see as one character, of valid UTF-8 that is
// not empty: a letter with its marks, the parts of a Korean syllable, an emoji with its modifiers.
size_t first_grapheme_bytes(std::string_view text);

// Columns that a terminal gives to valid UTF-8: 2 for a Chinese character, 0 for a combining mark.
int64_t terminal_width(std::string_view text);

// Valid UTF-8 in lowercase, the two special cases included: a capital sigma at the end of a word
// becomes a final sigma, and I with a dot becomes i and a combining dot.
std::string lowercase(std::string_view text);

// Valid UTF-8 in capitals: "ß" becomes "SS", other characters one of theirs.
std::string uppercase(std::string_view text);

// Valid UTF-8 in the normalization form NFKC: characters that are composed alike, and compatible
// ones, become the same (full-width letters, ligatures).
std::string nfkc(std::string_view text);

// The text without the whitespace at its end, or at its beginning.
std::string_view without_trailing_whitespace(std::string_view text);
std::string_view without_leading_whitespace(std::string_view text);

// Replaces every `from`, in time linear in the length of the text.
void replace_all(std::string& text, std::string_view from, std::string_view to);

// Appends the pieces between runs of whitespace; they point into the text.
void split_at_whitespace(std::string_view text, std::vector<std::string_view>& pieces);

// Appends every character that is not whitespace; they point into the text.
void split_characters(std::string_view text, std::vector<std::string_view>& characters);

}  // namespace heed
