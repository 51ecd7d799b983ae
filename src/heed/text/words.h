// Words as filters and counts define them: separated by ASCII whitespace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace heed::detail {

inline constexpr std::string_view kAsciiWhitespace = " \t\r\n\v\f";

// The line without the whitespace around it.
inline std::string_view trimmed(std::string_view line) {
  const size_t begin = std::min(line.find_first_not_of(kAsciiWhitespace), line.size());
  return line.substr(begin, line.find_last_not_of(kAsciiWhitespace) + 1 - begin);
}

// The words, which point into the line.
inline std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
    words.push_back(line.substr(0, line.find_first_of(kAsciiWhitespace)));
    line.remove_prefix(words.back().size());
  }
  return words;
}

inline int64_t count_words(std::string_view line) {
  return int64_t(words_of(line).size());
}

}  // namespace heed::detail
