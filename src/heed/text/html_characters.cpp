#include "heed/text/html_characters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "heed/core/ascii.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

constexpr size_t kLongestName = 32;  // "CounterClockwiseContourIntegral;"

// The numbers 128 to 159 mean the characters of windows-1252.
constexpr std::array<char32_t, 32> kWindows = {
    0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
    0x2039, 0x152,  0x8D,   0x17D,  0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};

struct Reference {
  size_t bytes = 0;
  std::string text;
};

using Names = std::unordered_map<std::string_view, std::string>;

Names read_names() {
  Names names;
  std::string_view rest = detail::html_entities();
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view entry = rest.substr(0, end);
    const size_t colon = entry.find(':');
    std::string& text = names[entry.substr(0, colon)];
    const char *digit = entry.data() + colon, *last = entry.data() + entry.size();
    while (digit < last) {
      uint32_t value = 0;
      digit = std::from_chars(digit + 1, last, value, 16).ptr;
      append_utf8(text, char32_t(value));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return names;
}

const Names& names() {
  static const Names all = read_names();
  return all;
}

bool is_hexadecimal(char c) {
  return is_ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// "&#228;" or "&#xE4": `html` begins with "&#".
std::optional<Reference> numeric(std::string_view html) {
  size_t at = 2;
  const bool hexadecimal = at < html.size() && (html[at] == 'x' || html[at] == 'X');
  if (hexadecimal) ++at;
  const size_t digits = at;
  uint32_t value = 0;
  for (; at < html.size() && (hexadecimal ? is_hexadecimal(html[at]) : is_ascii_digit(html[at]));
       ++at) {
    const char c = html[at];
    const uint32_t digit = is_ascii_digit(c) ? uint32_t(c - '0') : uint32_t((c | 32) - 'a') + 10;
    value = std::min<uint32_t>(value * (hexadecimal ? 16 : 10) + digit, 0x110000);
  }
  if (at == digits) return {};
  if (at < html.size() && html[at] == ';') ++at;
  Reference found{at, {}};
  const bool is_windows = value >= 0x80 && value < 0xA0;
  append_utf8(found.text, value == 0   ? kReplacementCharacter
                          : is_windows ? kWindows[value - 0x80]
                                       : char32_t(value));
  return found;
}

std::optional<Reference> named(std::string_view html, HtmlPlace place) {
  for (size_t length = std::min(kLongestName, html.size() - 1); length >= 2; --length) {
    const auto found = names().find(html.substr(1, length));
    if (found == names().end()) continue;
    const char next = length + 1 < html.size() ? html[length + 1] : ' ';
    const bool continues =
        next == '=' || is_ascii_letter(uint8_t(next)) || is_ascii_digit(uint8_t(next));
    if (place == HtmlPlace::attribute && html[length] != ';' && continues) return {};
    return Reference{length + 1, found->second};
  }
  return {};
}

}  // namespace

std::string decode_html(std::string_view html, HtmlPlace place) {
  std::string text;
  while (!html.empty()) {
    const size_t end = std::min(html.find('&'), html.size());
    text += html.substr(0, end);
    html.remove_prefix(end);
    if (html.empty()) break;
    const auto found = html.starts_with("&#") ? numeric(html) : named(html, place);
    text += found ? found->text : "&";
    html.remove_prefix(found ? found->bytes : 1);
  }
  return text;
}

std::string encode_html(std::string_view text, HtmlPlace place) {
  std::string html;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '&') {
      html += "&amp;";
    } else if (c == '<') {
      html += "&lt;";
    } else if (c == '>') {
      html += "&gt;";
    } else if (c == '"' && place == HtmlPlace::attribute) {
      html += "&quot;";
    } else if (text.substr(i).starts_with("\u00a0")) {
      html += "&nbsp;";
      ++i;
    } else {
      html += c;
    }
  }
  return html;
}

}  // namespace heed
