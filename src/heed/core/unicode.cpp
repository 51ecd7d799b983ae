#include "heed/core/unicode.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "heed/core/unicode_tables.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

constexpr char32_t kCapitalSigma = 0x3A3, kSmallSigma = 0x3C3, kFinalSigma = 0x3C2;
constexpr char32_t kCapitalDottedI = 0x130, kCombiningDot = 0x307;

// The range of a table that holds the character; null if none does.
template <class Range>
const Range* find_range(std::span<const Range> table, char32_t character) {
  const auto range = std::lower_bound(
      table.begin(), table.end(), character,
      [](const Range& candidate, char32_t wanted) { return candidate.last < wanted; });
  return range != table.end() && range->first <= character ? &*range : nullptr;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char byte) { return (byte & 0x80) == 0; });
}

bool is_ascii_whitespace(char byte) {
  return (byte >= 0x09 && byte <= 0x0D) || (byte >= 0x1C && byte <= 0x20);
}

char ascii_lowercase(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}

char32_t simple_lowercase(char32_t character) {
  const LowercaseRange* range = find_range(kLowercase, character);
  if (!range || (character - range->first) % range->step != 0) return character;
  return static_cast<char32_t>(static_cast<int32_t>(character) + range->difference);
}

// Whether the first character of a sequence that is not case-ignorable is cased.
template <class Iterator>
bool meets_cased(Iterator begin, Iterator end) {
  const Iterator character = std::find_if_not(
      begin, end, [](char32_t candidate) { return find_range(kCaseIgnorable, candidate); });
  return character != end && find_range(kCased, *character);
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
  return find_range(kWhitespace, character) != nullptr;
}

bool is_punctuation(char32_t character) {
  return find_range(kPunctuation, character) != nullptr;
}

bool is_symbol(char32_t character) {
  return find_range(kSymbols, character) != nullptr;
}

bool is_number(char32_t character) {
  return find_range(kNumbers, character) != nullptr;
}

std::string lowercase(std::string_view text) {
  std::string lower;
  lower.reserve(text.size());
  if (is_ascii(text)) {
    std::transform(text.begin(), text.end(), std::back_inserter(lower), ascii_lowercase);
    return lower;
  }
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

std::string_view without_trailing_whitespace(std::string_view text) {
  size_t end = 0;
  for_each_character(text, [&](size_t position, size_t bytes, bool space) {
    if (!space) end = position + bytes;
  });
  return text.substr(0, end);
}

std::string_view without_leading_whitespace(std::string_view text) {
  size_t begin = text.size();
  for_each_character(text, [&](size_t position, size_t, bool space) {
    if (!space) begin = std::min(begin, position);
  });
  return text.substr(begin);
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
