// What went wrong with a line's bytes on its way to us.
#pragma once

#include <string>
#include <string_view>

namespace heed::detail {

struct LineDamage {
  bool invalid = false;          // bytes that are not UTF-8
  bool replaced = false;         // U+FFFD: bytes were lost before
  bool double_encoded = false;   // UTF-8 read as Windows-1252 and written as UTF-8: "Ã¼" for "ü"
  bool control = false;          // control characters, byte order marks, line separators; no tab
  bool carriage_return = false;  // '\r' at the end: lines of Windows
};
LineDamage find_damage(std::string_view line);

// The text with every sequence that was encoded twice read once: "Ã¼ber â€“" becomes "über –".
// Text without such sequences comes back unchanged. One sequence alone may be an accident ("é…»"
// in French) and is left alone unless it is of the usual kinds: a letter of Latin-1 or typographic
// punctuation.
std::string repair_double_encoding(std::string_view line);

// The text as it may be shown: broken bytes as U+FFFD, control characters as pictures or <U+0085>,
// cut after `most` characters with "…".
std::string visible(std::string_view text, size_t most);

}  // namespace heed::detail
