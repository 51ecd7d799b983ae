// A link between a word of a sentence and one of its translation, and its text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

// A source and a target word, or token, counted from 0.
struct WordLink {
  int32_t source = 0, target = 0;
  friend bool operator==(const WordLink&, const WordLink&) = default;
  friend bool operator<(const WordLink& a, const WordLink& b) {
    return std::pair(a.source, a.target) < std::pair(b.source, b.target);
  }
};

// A link as text, and the character between its numbers.
struct LinkText {
  WordLink link;
  char separator = '-';
};

// "2-1", as in the Pharaoh format, or with another separator; nothing for other text.
std::optional<LinkText> link_of_text(std::string_view text);

// Each link once, by target and then by source.
std::vector<WordLink> in_target_order(std::vector<WordLink> links);

}  // namespace heed
