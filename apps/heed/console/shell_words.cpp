#include "console/shell_words.h"

#include <algorithm>
#include <cctype>

namespace heed {

std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "_./-+,:@%=";
  const bool plain = std::ranges::all_of(text, [&](char c) {
    return (c & 0x80) != 0 || std::isalnum(uint8_t(c)) != 0 || kPlain.find(c) != kPlain.npos;
  });
  return plain && !text.empty() ? std::string(text) : shell_quoted(text);
}

}  // namespace heed
