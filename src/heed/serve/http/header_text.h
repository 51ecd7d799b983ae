// Small readings of header values that several files need.
#pragma once

#include <string>
#include <string_view>

namespace heed::detail {

inline char lower_ascii(char c) {
  return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

inline std::string lower_ascii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = lower_ascii(c);
  return lower;
}

inline std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Removes and returns the first element of a list that is separated by `separator`, trimmed.
inline std::string_view take_element(std::string_view& list, char separator) {
  const size_t end = list.find(separator);
  const std::string_view element = list.substr(0, end);
  list = end == list.npos ? std::string_view{} : list.substr(end + 1);
  return trimmed(element);
}

}  // namespace heed::detail
