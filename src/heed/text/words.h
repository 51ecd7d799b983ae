// Words as filters and counts define them: separated by ASCII whitespace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace heed::detail {

inline constexpr std::string_view kAsciiWhitespace = " \t\r\n\v\f";

// Calls use(word) for each word until it returns false. The words point into the line.
template <class Use>
void for_each_word(std::string_view line, Use use) {
  for (;;) {
    const size_t begin = line.find_first_not_of(kAsciiWhitespace);
    if (begin == line.npos) return;
    line.remove_prefix(begin);
    const size_t length = std::min(line.find_first_of(kAsciiWhitespace), line.size());
    if (!use(line.substr(0, length))) return;
    line.remove_prefix(length);
  }
}

inline int64_t count_words(std::string_view line) {
  int64_t words = 0;
  for_each_word(line, [&](std::string_view) { return ++words > 0; });
  return words;
}

}  // namespace heed::detail
