// The rewriting rules of the tokenizers of BLEU and TER. Each is applied to the whole result of the
// one before; its matches do not overlap, as with regular expressions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heed::detail {

// In one pass, in time linear in the length of the text.
void replace_all(std::string& text, std::string_view from, std::string_view to);

// &quot; &amp; &lt; &gt; to their characters. Sequentially, since a replacement can create a match
// for the next one.
void replace_entities(std::string& text);

// mteval's rules for Western languages, in valid UTF-8: spaces around the punctuation and symbols
// of ASCII except ' , - .
void separate_symbols(std::string& line);
// Spaces around points and commas except between digits, and around a dash after a digit.
void separate_points_and_dashes(std::string& line);

// Spaces around every character at a position for which alone(position, begin) holds, where `begin`
// is the end of the match before it. A match has `behind` more characters, which stay as they are.
// These rules work on bytes (std::string) and on code points (std::u32string).
template <class Char, class Alone>
void separate(std::basic_string<Char>& line, size_t behind, Alone alone) {
  std::basic_string<Char> separated;
  separated.reserve(2 * line.size());
  size_t begin = 0;  // text between matches is copied whole
  for (size_t i = 0; i + behind < line.size(); ++i) {
    if (!alone(i, begin)) continue;
    separated.append(line, begin, i - begin).append({Char(' '), line[i], Char(' ')});
    separated.append(line, i + 1, behind);
    i += behind;
    begin = i + 1;
  }
  if (begin > 0) line = separated.append(line, begin);
}

// Spaces around every character for which `alone` holds.
template <class Char, class Alone>
void separate_each(std::basic_string<Char>& line, Alone alone) {
  separate(line, 0, [&](size_t i, size_t) { return alone(line[i]); });
}

// Spaces around every `mark` after a character that is `before`.
template <class Char, class Before, class Mark>
void separate_after(std::basic_string<Char>& line, Before before, Mark mark) {
  separate(line, 0, [&](size_t i, size_t begin) {
    return i > begin && mark(line[i]) && before(line[i - 1]);
  });
}

// Spaces around every `mark` before a character that is `after`.
template <class Char, class Mark, class After>
void separate_before(std::basic_string<Char>& line, Mark mark, After after) {
  separate(line, 1, [&](size_t i, size_t) { return mark(line[i]) && after(line[i + 1]); });
}

// Characters from the first to the last.
struct CharacterRange {
  char32_t first, last;
};
bool is_in(std::span<const CharacterRange> ranges, char32_t character);

}  // namespace heed::detail
