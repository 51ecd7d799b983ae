// Short ASCII texts: letters and digits, lower case, elements of lists, whole numbers.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

constexpr bool is_ascii_letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr bool is_ascii_digit(char32_t c) {
  return c >= '0' && c <= '9';
}

inline bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

constexpr char lower_ascii(char c) {
  return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

inline std::string lower_ascii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = lower_ascii(c);
  return lower;
}

// Without the spaces and tabs around it, the optional whitespace of RFC 9110.
inline std::string_view trim_blanks(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Removes and returns the first element of a list that is separated by `separator`, trimmed.
inline std::string_view take_element(std::string_view& list, char separator) {
  const size_t end = list.find(separator);
  const std::string_view element = list.substr(0, end);
  list = end == list.npos ? std::string_view{} : list.substr(end + 1);
  return trim_blanks(element);
}

// A number in decimal digits, from `minimum` to `maximum`; nothing for any other text.
template <class Number>
std::optional<Number> whole_number(std::string_view text, Number minimum, Number maximum) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || number < minimum || number > maximum) return {};
  return number;
}

}  // namespace heed
