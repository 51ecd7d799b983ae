#include "heed/core/shell_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace heed {

std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

namespace {

// As bash, zsh and ksh read $'...': control characters, which no message prints as they are.
std::string ansi_quoted(std::string_view text) {
  std::string result = "$'";
  for (const char c : text) {
    if (uint8_t(c) < 0x20 || c == 0x7F)
      result += fmt::format("\\{:03o}", uint8_t(c));
    else
      result += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  }
  return result + "'";
}

}  // namespace

std::string shell_word(std::string_view text) {
  const auto is_control = [](char c) { return uint8_t(c) < 0x20 || c == 0x7F; };
  if (std::ranges::any_of(text, is_control)) return ansi_quoted(text);
  constexpr std::string_view kPlain = "_./-+,:@%=";
  const bool plain = std::ranges::all_of(text, [&](char c) {
    return (c & 0x80) != 0 || std::isalnum(uint8_t(c)) != 0 || kPlain.find(c) != kPlain.npos;
  });
  return plain && !text.empty() ? std::string(text) : shell_quoted(text);
}

}  // namespace heed
