#include "heed/documents/rst_layout.h"

#include <algorithm>
#include <cstdint>

namespace heed::detail {

RstLayout::RstLayout(std::string_view bytes) : bytes_(bytes) {
  constexpr std::string_view kBlank = " \t\r\f\v";
  for (size_t begin = bytes.starts_with("\uFEFF") ? 3 : 0; begin < bytes.size();) {
    const size_t end = std::min(bytes.find('\n', begin), bytes.size());
    const std::string_view line = bytes.substr(begin, end - begin);
    const size_t first = std::min(line.find_first_not_of(kBlank), line.size());
    const size_t last = std::max(first, line.find_last_not_of(kBlank) + 1);  // npos + 1 is 0
    lines_.push_back({begin + first, begin + last, column_of(begin + first, begin, 0)});
    begin = end + 1;
  }
  next_text_.assign(lines_.size() + 1, lines_.size());
  for (size_t line = lines_.size(); line-- > 0;)
    next_text_[line] = lines_[line].is_blank() ? next_text_[line + 1] : line;
}

size_t RstLayout::column_of(size_t end, size_t begin, size_t column) const {
  constexpr size_t kTab = 8;
  for (size_t at = begin; at < end; ++at) {
    if (bytes_[at] == '\t')
      column += kTab - column % kTab;
    else if ((uint8_t(bytes_[at]) & 0xC0) != 0x80)  // the first byte of a character
      ++column;
  }
  return column;
}

RstLayout::Indented RstLayout::indented_below(size_t line, size_t last, size_t column,
                                              Until until) const {
  Indented found{line + 1, RstBlock::kIndented};
  for (size_t next = line + 1; next < last; ++next) {
    if (lines_[next].is_blank()) {
      if (until == Until::blank) break;
      next = next_text_[next];
      if (next >= last) break;
    }
    if (lines_[next].column <= column) break;
    found.column = std::min(found.column, lines_[next].column);
    found.end = next + 1;
  }
  return found;
}

size_t RstLayout::next_blank(size_t line, size_t last) const {
  while (has_text(line, last)) ++line;
  return line;
}

}  // namespace heed::detail
