// Text for terminals, and formatting of numbers.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

// A text on one line of a terminal: control characters become spaces, bytes that are not UTF-8
// U+FFFD, and characters that would end the line or turn it around are named, as <U+202E>.
std::string one_line(std::string_view text);

// A column of a table: where its cells are, its least width, and the spaces before it, which that
// includes; the first column has none.
struct TableColumn {
  enum class Side { left, right } side = Side::right;
  int64_t width = 0;
  int64_t gap = 2;
};
using TableRow = std::vector<std::string>;

// Rows as lines, of columns as wide as their longest cell; a row of one cell is a heading, which
// may be longer. The last of `columns` also describes those after it.
std::string table_text(const std::vector<TableRow>& rows, const std::vector<TableColumn>& columns);

// Items with this gap between them, in lines of at most `width` columns: those after the first are
// indented by `indent` spaces, and the first begins in that column.
std::string wrap(const std::vector<std::string>& items, size_t indent, const std::string& gap,
                 int64_t width);
// The same of the words of a text, in 80 columns.
std::string wrap(const std::string& text, size_t indent);

// Each of these characters replaced by a text: for formats in which they mean something.
std::string replaced(std::string_view text,
                     std::initializer_list<std::pair<char, std::string_view>> by);

// The text with each name between these marks, "${HOME}", replaced by what `text_of` gives for it:
// in one pass, so that no replacement is taken for a mark.
std::string filled(std::string_view text, std::string_view open, std::string_view close,
                   const std::function<std::string(std::string_view name)>& text_of);

// 18944000 as "18,944,000".
std::string grouped(int64_t value);
// "1 pair", "1,000 pairs". `noun` is one whose plural ends in -s.
std::string grouped(int64_t value, std::string_view noun);

// The share of `part` in `whole`: "0.04%", "12%", "0%". Of nothing: "0%".
std::string percent(int64_t part, int64_t whole);

// Seconds as "1:05" or "2:03:09".
std::string clock_text(double seconds);

// "2026-11-26T02:05:00Z"
std::string utc_text(std::time_t time);

}  // namespace heed
