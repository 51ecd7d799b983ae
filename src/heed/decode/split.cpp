#include "heed/decode/split.h"

#include <algorithm>

#include "heed/core/error.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

enum class Level { sentence, clause, word, character };

bool is_space(char32_t c) {
  return c == ' ' || c == '\t' || c == 0x3000 || c == 0xA0;
}

// Whether a cut may come between two characters, at a level.
bool may_cut(Level level, char32_t before, char32_t after) {
  static constexpr std::u32string_view kWideSentence = U"。！？；…", kWideClause = U"，、：";
  const auto in = [](std::u32string_view set, char32_t c) {
    return set.find(c) != std::u32string_view::npos;
  };
  switch (level) {
    case Level::sentence:
      return in(kWideSentence, before) || (in(U".!?;", before) && is_space(after));
    case Level::clause:
      return in(kWideClause, before) || (in(U",:-–—)", before) && is_space(after));
    case Level::word:
      return is_space(after);
    case Level::character:
      return true;
  }
  return true;
}

// Byte positions inside `text` where it may be cut, ascending, with its end.
std::vector<size_t> cuts(std::string_view text, Level level) {
  std::vector<size_t> positions;
  char32_t before = 0;
  for (size_t at = 0; at < text.size();) {
    const auto character = first_utf8_character(text.substr(at));
    if (at > 0 && may_cut(level, before, character.value)) positions.push_back(at);
    before = character.value;
    at += character.bytes;
  }
  positions.push_back(text.size());
  return positions;
}

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

class Splitter {
 public:
  Splitter(int64_t limit, const std::function<int64_t(std::string_view)>& length)
      : limit_(limit), length_(length) {}

  void split(std::string_view text, Level level, std::vector<std::string>& parts) const {
    const std::vector<size_t> ends = cuts(text, level);
    size_t begin = 0, next = 0;
    while (next < ends.size()) {
      // The furthest cut whose part still fits: lengths grow with the cut, so bisection finds it.
      const auto fits = [&](size_t end) {
        return length_(trim(text.substr(begin, end - begin))) <= limit_;
      };
      const auto first = ends.begin() + ptrdiff_t(next);
      const auto too_far = std::partition_point(first, ends.end(), fits);
      if (too_far == first) {  // even the nearest is too far
        const std::string_view piece = text.substr(begin, *first - begin);
        if (level == Level::character)
          parts.emplace_back(piece);  // one character of more tokens than the limit: let it stand
        else
          split(piece, Level(int(level) + 1), parts);
        begin = *first;
        ++next;
        continue;
      }
      const size_t end = *(too_far - 1);
      const std::string_view part = trim(text.substr(begin, end - begin));
      if (!part.empty()) parts.emplace_back(part);
      begin = end;
      next = size_t(too_far - ends.begin());
    }
  }

 private:
  int64_t limit_;
  const std::function<int64_t(std::string_view)>& length_;
};

// Scripts written without spaces, and their punctuation.
bool is_unspaced(char32_t c) {
  return (c >= 0x3000 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x9FFF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF00 && c <= 0xFFEF) ||
         (c >= 0x20000 && c <= 0x3FFFF);
}

}  // namespace

std::vector<std::string> split_text(std::string_view text, int64_t limit,
                                    const std::function<int64_t(std::string_view)>& length) {
  check(limit >= 1, "parts of at least one token");
  std::vector<std::string> parts;
  Splitter(limit, length).split(text, Level::sentence, parts);
  return parts;
}

std::string join_parts(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) {
      const std::u32string left = decode_utf8(text);
      const char32_t right = first_utf8_character(part).value;
      if (!is_unspaced(left.back()) && !is_unspaced(right)) text += ' ';
    }
    text += part;
  }
  return text;
}

}  // namespace heed
