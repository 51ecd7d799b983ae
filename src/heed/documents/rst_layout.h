// The lines of reStructuredText and their indentation.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace heed::detail {

struct RstLine {
  size_t begin = 0, end = 0;  // bytes, without white space; equal: it is blank
  size_t column = 0;          // of its first character

  bool is_blank() const { return begin == end; }
};

// Lines [first, last) of which what is not blank begins at a column, or behind it.
struct RstBlock {
  static constexpr size_t kIndented = size_t(-1);

  size_t first = 0, last = 0;
  size_t column = 0;
  size_t at = kIndented;  // the byte where the first line begins, if not behind its indentation
  size_t at_column = 0;   // its column
  bool is_glossary = false;
  bool is_item = false;  // of a list: its column is that of its first line
};

class RstLayout {
 public:
  explicit RstLayout(std::string_view bytes);

  // The lines below a line that are indented more than a column.
  struct Indented {
    size_t end = 0;     // the line behind it; the next one if there is nothing
    size_t column = 0;  // of the least indented line
  };
  enum class Until { less_indented, blank };
  // At most to the line `last`.
  Indented indented_below(size_t line, size_t last, size_t column,
                          Until until = Until::less_indented) const;

  size_t size() const { return lines_.size(); }
  const RstLine& operator[](size_t line) const { return lines_[line]; }
  std::string_view text(size_t line) const { return text_from(lines_[line].begin, line); }
  // The text of a line from a byte of the document.
  std::string_view text_from(size_t at, size_t line) const {
    return bytes_.substr(at, lines_[line].end - at);
  }
  // Whether there is a line before `last` that is not blank.
  bool has_text(size_t line, size_t last) const { return line < last && !lines_[line].is_blank(); }
  // The first line that is not blank, or that is, from this one, but at most `last`.
  size_t next_text(size_t line) const { return next_text_[line]; }
  size_t next_blank(size_t line, size_t last) const;
  // The column of the byte `end` if that of `begin` is this one.
  size_t column_of(size_t end, size_t begin, size_t column) const;

 private:
  const std::string_view bytes_;
  std::vector<RstLine> lines_;
  std::vector<size_t> next_text_;  // [lines + 1]
};

}  // namespace heed::detail
