// Reads parts of a text, one after the other.
#pragma once

#include <string_view>

#include "heed/core/ascii.h"

namespace heed::detail {

inline bool is_one_of(char c, std::string_view set) {
  return set.find(c) != set.npos;
}

// Reads from the beginning of a text.
class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : text_(text) {}

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  template <class Accept>
  std::string_view take_while(Accept accept) {
    const size_t begin = at_;
    while (at_ < text_.size() && accept(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::string_view digits() { return take_while(is_ascii_digit); }
  std::string_view set(std::string_view characters) {
    return take_while([&](char c) { return is_one_of(c, characters); });
  }
  size_t position() const { return at_; }
  void rewind(size_t position) { at_ = position; }
  std::string_view rest() const { return text_.substr(at_); }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace heed::detail
