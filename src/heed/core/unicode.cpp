#include "heed/core/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <memory>

#include "heed/core/ascii.h"
#include "heed/core/error.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

constexpr char32_t kCapitalSigma = 0x3A3, kSmallSigma = 0x3C3, kFinalSigma = 0x3C2;
constexpr char32_t kCapitalDottedI = 0x130, kCombiningDot = 0x307;

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char byte) { return (byte & 0x80) == 0; });
}

bool is_ascii_whitespace(char byte) {
  return (byte >= 0x09 && byte <= 0x0D) || (byte >= 0x1C && byte <= 0x20);
}

const utf8proc_property_t& properties(char32_t character) {
  return *utf8proc_get_property(static_cast<utf8proc_int32_t>(character));
}

// Whether a character is in a general category from first to last, in the order of
// utf8proc_category_t.
bool is_between(char32_t character, utf8proc_category_t first, utf8proc_category_t last) {
  const auto category = properties(character).category;
  return category >= first && category <= last;
}

char32_t simple_lowercase(char32_t character) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(character)));
}

// Unicode's Case_Ignorable (definition D136): some categories, and what words may have inside them.
bool is_case_ignorable(char32_t character) {
  constexpr std::u32string_view kInsideWords =
      U"'.:\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07\uFF0E\uFF1A";
  switch (properties(character).category) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return kInsideWords.find(character) != kInsideWords.npos;
  }
}

// Unicode's Cased: letters with case, and others that look like these.
bool is_cased(char32_t character) {
  const auto code = static_cast<utf8proc_int32_t>(character);
  return is_between(character, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LT) ||
         utf8proc_isupper(code) != 0 || utf8proc_islower(code) != 0;
}

// Whether the first character of a sequence that is not case-ignorable is cased.
template <class Iterator>
bool meets_cased(Iterator begin, Iterator end) {
  const Iterator character = std::find_if_not(begin, end, is_case_ignorable);
  return character != end && is_cased(*character);
}

// Unicode's Final_Sigma: a letter before it and none behind it.
bool is_final_sigma(std::u32string_view text, size_t position) {
  const auto sigma = text.begin() + static_cast<std::ptrdiff_t>(position);
  return meets_cased(std::make_reverse_iterator(sigma), text.rend()) &&
         !meets_cased(sigma + 1, text.end());
}

// Calls visit(position, bytes, is_whitespace) for every character of the text.
template <class Visit>
void for_each_character(std::string_view text, Visit&& visit) {
  for (size_t position = 0; position < text.size();) {
    size_t bytes = 1;
    bool space;
    if ((text[position] & 0x80) == 0) {
      space = is_ascii_whitespace(text[position]);
    } else {
      const Utf8Character character = first_utf8_character(text.substr(position));
      bytes = character.bytes;
      space = is_whitespace(character.value);
    }
    visit(position, bytes, space);
    position += bytes;
  }
}

}  // namespace

bool is_whitespace(char32_t character) {
  const utf8proc_property_t& found = properties(character);
  return found.category == UTF8PROC_CATEGORY_ZS || found.bidi_class == UTF8PROC_BIDI_CLASS_WS ||
         found.bidi_class == UTF8PROC_BIDI_CLASS_B || found.bidi_class == UTF8PROC_BIDI_CLASS_S;
}

bool is_blank(std::string_view text) {
  return without_leading_whitespace(text).empty();
}

bool is_punctuation(char32_t character) {
  return is_between(character, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}

bool is_opening_bracket(char32_t character) {
  return is_between(character, UTF8PROC_CATEGORY_PS, UTF8PROC_CATEGORY_PS);
}

bool is_closing_bracket(char32_t character) {
  return is_between(character, UTF8PROC_CATEGORY_PE, UTF8PROC_CATEGORY_PE);
}

bool is_symbol(char32_t character) {
  return is_between(character, UTF8PROC_CATEGORY_SM, UTF8PROC_CATEGORY_SO);
}

bool is_number(char32_t character) {
  return is_between(character, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

bool is_letter(char32_t character) {
  return is_between(character, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO);
}

std::optional<int> decimal_digit(char32_t character) {
  if (character < 0x660) {
    if (character < '0' || character > '9') return std::nullopt;
    return int(character - '0');
  }
  if (character > 0x1819 && character < 0xFF10) return std::nullopt;
  constexpr std::array<char32_t, 20> kZeros = {0x660, 0x6F0, 0x7C0,  0x966,  0x9E6,  0xA66, 0xAE6,
                                               0xB66, 0xBE6, 0xC66,  0xCE6,  0xD66,  0xDE6, 0xE50,
                                               0xED0, 0xF20, 0x1040, 0x17E0, 0x1810, 0xFF10};
  const auto after = std::upper_bound(kZeros.begin(), kZeros.end(), character);
  if (after == kZeros.begin()) return std::nullopt;
  const char32_t value = character - *(after - 1);
  return value < 10 ? std::optional(int(value)) : std::nullopt;
}

bool is_format_character(char32_t character) {
  return properties(character).category == UTF8PROC_CATEGORY_CF;
}

bool is_lowercase(char32_t character) {
  return properties(character).category == UTF8PROC_CATEGORY_LL;
}

size_t first_grapheme_bytes(std::string_view text) {
  // The first combining mark. A grapheme before it has one character, but for "\r\n".
  constexpr char32_t kFirstMark = 0x300;
  Utf8Character character = first_utf8_character(text);
  size_t bytes = character.bytes;
  utf8proc_int32_t state = 0;
  while (bytes < text.size()) {
    const Utf8Character next = first_utf8_character(text.substr(bytes));
    if (next.value < kFirstMark && next.value != '\n') break;
    if (utf8proc_grapheme_break_stateful(utf8proc_int32_t(character.value),
                                         utf8proc_int32_t(next.value), &state))
      break;
    bytes += next.bytes;
    character = next;
  }
  return bytes;
}

int64_t terminal_width(std::string_view text) {
  int64_t width = 0;
  for (const char32_t character : decode_utf8(text))
    width += utf8proc_charwidth(static_cast<utf8proc_int32_t>(character));
  return width;
}

std::string lowercase(std::string_view text) {
  if (is_ascii(text)) return lower_ascii(text);
  std::string lower;
  lower.reserve(text.size());
  const std::u32string characters = decode_utf8(text);
  for (size_t i = 0; i < characters.size(); ++i) {
    if (characters[i] == kCapitalSigma) {
      append_utf8(lower, is_final_sigma(characters, i) ? kFinalSigma : kSmallSigma);
    } else if (characters[i] == kCapitalDottedI) {
      append_utf8(lower, U'i');
      append_utf8(lower, kCombiningDot);
    } else {
      append_utf8(lower, simple_lowercase(characters[i]));
    }
  }
  return lower;
}

std::string uppercase(std::string_view text) {
  constexpr char32_t kSharpS = 0xDF;
  std::string upper;
  upper.reserve(text.size());
  for (const char32_t character : decode_utf8(text)) {
    if (character == kSharpS)
      upper += "SS";
    else
      append_utf8(upper, char32_t(utf8proc_toupper(utf8proc_int32_t(character))));
  }
  return upper;
}

std::string nfkc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  utf8proc_uint8_t* bytes = nullptr;
  const auto length = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(text.data()), utf8proc_ssize_t(text.size()), &bytes,
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(bytes, &std::free);
  check(length >= 0, "nfkc() of text that is not UTF-8");
  return {reinterpret_cast<const char*>(bytes), size_t(length)};
}

std::string_view without_trailing_whitespace(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character last = last_utf8_character(text);
    if (!is_whitespace(last.value)) break;
    text.remove_suffix(last.bytes);
  }
  return text;
}

std::string_view without_leading_whitespace(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character first = first_utf8_character(text);
    if (!is_whitespace(first.value)) break;
    text.remove_prefix(first.bytes);
  }
  return text;
}

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

void split_at_whitespace(std::string_view text, std::vector<std::string_view>& pieces) {
  size_t begin = 0;
  for_each_character(text, [&](size_t position, size_t bytes, bool space) {
    if (!space) return;
    if (position > begin) pieces.push_back(text.substr(begin, position - begin));
    begin = position + bytes;
  });
  if (begin < text.size()) pieces.push_back(text.substr(begin));
}

void split_characters(std::string_view text, std::vector<std::string_view>& characters) {
  for_each_character(text, [&](size_t position, size_t bytes, bool space) {
    if (!space) characters.push_back(text.substr(position, bytes));
  });
}

}  // namespace heed
