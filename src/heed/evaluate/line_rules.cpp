#include "heed/evaluate/line_rules.h"

#include <algorithm>

#include "heed/core/unicode.h"

namespace heed::detail {
namespace {

// Objects rather than functions, so that the rules are compiled with them inside. They look at
// ASCII alone, so bytes will do.
constexpr auto is_digit = [](char byte) { return byte >= '0' && byte <= '9'; };
constexpr auto is_no_digit = [](char byte) { return !is_digit(byte); };
constexpr auto is_hyphen = [](char byte) { return byte == '-'; };
constexpr auto is_point_or_comma = [](char byte) { return byte == '.' || byte == ','; };
constexpr auto is_ascii_symbol = [](char byte) {
  return is_ascii_punctuation(byte) && byte != '\'' && byte != ',' && byte != '-' && byte != '.';
};

}  // namespace

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  size_t found = text.find(from);
  if (found == std::string::npos) return;
  std::string replaced;
  replaced.reserve(text.size());
  size_t begin = 0;
  for (; found != std::string::npos; found = text.find(from, begin)) {
    replaced.append(text, begin, found - begin).append(to);
    begin = found + from.size();
  }
  text = replaced.append(text, begin);
}

void replace_entities(std::string& text) {
  if (text.find('&') == std::string::npos) return;
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
}

void separate_symbols(std::string& line) {
  separate_each(line, is_ascii_symbol);
}

void separate_points_and_dashes(std::string& line) {
  separate_after(line, is_no_digit, is_point_or_comma);
  separate_before(line, is_point_or_comma, is_no_digit);
  separate_after(line, is_digit, is_hyphen);
}

bool is_in(std::span<const CharacterRange> ranges, char32_t character) {
  return std::ranges::any_of(ranges, [&](const CharacterRange& range) {
    return character >= range.first && character <= range.last;
  });
}

}  // namespace heed::detail
