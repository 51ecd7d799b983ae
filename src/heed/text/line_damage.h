// Encoding damage in a line of text.
#pragma once

#include <string>
#include <string_view>

namespace heed::detail {

struct LineDamage {
  bool invalid = false;          // bytes that are not UTF-8
  bool replaced = false;         // U+FFFD: bytes were lost in an earlier conversion
  bool double_encoded = false;   // mojibake: UTF-8 decoded as Windows-1252, "Ã¼" for "ü"
  bool control = false;          // control characters but tabs, byte order marks, line separators
  bool carriage_return = false;  // '\r' at the end, as on Windows
  char32_t invisible = 0;        // the first invisible character that has no use there; 0: none
};
LineDamage find_damage(std::string_view line);

// Characters that are not seen and change nothing but how lines break or text runs: zero-width
// spaces and joiners (U+200B to U+200D, U+2060), soft hyphens (U+00AD), direction marks, fillers.
bool is_invisible(char32_t character);

// Repairs mojibake of UTF-8 that was decoded as Windows-1252: "Ã¼ber â€“" becomes "über –". Returns
// other text unchanged. A single such sequence may be intended ("é…»" in French), so it is repaired
// only if it gives one of the usual characters: a letter of Latin-1 or typographic punctuation.
std::string repair_double_encoding(std::string_view line);

// The line without the damage that can be undone: double encoding, a carriage return at its end,
// control characters (those that part words become spaces), invisible characters without a use.
// Bytes that are not UTF-8 stay.
std::string repaired_line(std::string_view line);

// The text for display: invalid UTF-8 as U+FFFD, control characters as pictures or <U+0085>,
// invisible ones but joiners as <U+200B>, at most `max_characters`, then "…".
std::string visible(std::string_view text, size_t max_characters);

}  // namespace heed::detail
