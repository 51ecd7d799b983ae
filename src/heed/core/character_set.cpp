#include "heed/core/character_set.h"

#include <fmt/format.h>

#include <charconv>

namespace heed {
namespace {

constexpr char32_t kMaxCharacter = 0x10FFFF;

bool is_surrogate(char32_t c) {
  return c >= 0xD800 && c < 0xE000;
}

// Removes hexadecimal digits from the beginning of the text.
std::optional<char32_t> take_character(std::string_view& text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || value > kMaxCharacter) return {};
  text.remove_prefix(size_t(end - text.data()));
  return char32_t(value);
}

}  // namespace

void CharacterSet::add(char32_t character) {
  if (character > kMaxCharacter || is_surrogate(character)) return;
  const size_t word = character / 64;
  if (word >= words_.size()) words_.resize(word + 1);
  words_[word] |= uint64_t{1} << (character % 64);
}

void CharacterSet::add(const CharacterSet& other) {
  if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
  for (size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
}

bool CharacterSet::contains(char32_t character) const {
  const size_t word = character / 64;
  return word < words_.size() && (words_[word] >> (character % 64) & 1) != 0;
}

std::string CharacterSet::ranges() const {
  std::string text;
  const auto end = char32_t(words_.size() * 64);
  for (char32_t c = 0; c < end; ++c) {
    if (!contains(c)) continue;
    const char32_t first = c;
    while (c + 1 < end && contains(c + 1)) ++c;
    text += fmt::format("{}{:x}", text.empty() ? "" : " ", uint32_t(first));
    if (c > first) text += fmt::format("-{:x}", uint32_t(c));
  }
  return text;
}

std::optional<CharacterSet> CharacterSet::from_ranges(std::string_view text) {
  CharacterSet set;
  // Ascending, so that no text adds a character twice.
  for (char32_t least = 0; !text.empty();) {
    const auto first = take_character(text);
    if (!first || *first < least) return {};
    auto last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_character(text);
      if (!last || *last < *first) return {};
    }
    for (char32_t c = *first; c <= *last; ++c) set.add(c);
    least = *last + 1;
    if (text.empty()) break;
    if (!text.starts_with(' ') || text.size() == 1) return {};
    text.remove_prefix(1);
  }
  return set;
}

}  // namespace heed
