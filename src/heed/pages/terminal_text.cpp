#include "heed/pages/terminal_text.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include "heed/core/unicode.h"
#include "heed/core/utf8.h"

namespace heed {

std::string one_line(std::string_view text) {
  std::string line;
  for (const char32_t c : decode_utf8(text)) {
    if ((c >= 0x80 && c < 0xA0) || c == 0x2028 || c == 0x2029 || is_bidi_control(c))
      line += fmt::format("<U+{:04X}>", uint32_t(c));
    else
      append_utf8(line, c < 0x20 || c == 0x7F ? U' ' : c);
  }
  return line;
}

std::string table_text(const std::vector<TableRow>& rows, const std::vector<TableColumn>& columns) {
  const auto column = [&](size_t i) { return columns[std::min(i, columns.size() - 1)]; };
  const auto gap = [&](size_t i) { return i == 0 ? 0 : column(i).gap; };
  std::vector<int64_t> widths;
  for (size_t i = 0; i < rows[0].size(); ++i) {
    int64_t& width = widths.emplace_back(column(i).width);
    for (const TableRow& row : rows)
      if (i < row.size() && row.size() > 1)
        width = std::max(width, gap(i) + terminal_width(row[i]));
  }
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const int64_t rest = widths[i] - gap(i) - terminal_width(row[i]);
      const std::string space(size_t(std::max<int64_t>(0, rest)), ' ');
      line += std::string(size_t(gap(i)), ' ');
      line += column(i).side == TableColumn::Side::left ? row[i] + space : space + row[i];
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string wrap(const std::vector<std::string>& items, size_t indent, const std::string& gap,
                 int64_t width) {
  std::string text, line;
  for (const std::string& item : items) {
    std::string longer = line;
    if (!line.empty()) longer += gap;
    longer += item;
    const bool fits = line.empty() || int64_t(indent) + terminal_width(longer) <= width;
    if (!fits) text += line + "\n" + std::string(indent, ' ');
    line = fits ? longer : item;
  }
  return text + line;
}

std::string wrap(const std::string& text, size_t indent) {
  std::istringstream words(text);
  using Words = std::istream_iterator<std::string>;
  return wrap(std::vector<std::string>(Words(words), Words()), indent, " ", 80);
}

std::string replaced(std::string_view text,
                     std::initializer_list<std::pair<char, std::string_view>> by) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    const auto* found = std::ranges::find(by, c, &std::pair<char, std::string_view>::first);
    result += found == by.end() ? std::string_view(&c, 1) : found->second;
  }
  return result;
}

std::string filled(std::string_view text, std::string_view open, std::string_view close,
                   const std::function<std::string(std::string_view name)>& text_of) {
  std::string result;
  for (;;) {
    const size_t begin = text.find(open);
    const size_t end = begin == text.npos ? begin : text.find(close, begin);
    if (end == text.npos) return result.append(text);
    const size_t name = begin + open.size();
    result += text.substr(0, begin);
    result += text_of(text.substr(name, end - name));
    text.remove_prefix(end + close.size());
  }
}

std::string grouped(int64_t value) {
  std::string digits = std::to_string(value);
  const size_t sign = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > 3 + sign;) digits.insert(at -= 3, ",");
  return digits;
}

std::string grouped(int64_t value, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(value), noun, value == 1 ? "" : "s");
}

std::string percent(int64_t part, int64_t whole) {
  const double share = whole > 0 ? 100.0 * double(part) / double(whole) : 0;
  if (share == 0 || share >= 10) return fmt::format("{:.0f}%", share);
  return share >= 1 ? fmt::format("{:.1f}%", share) : fmt::format("{:.2g}%", share);
}

std::string clock_text(double seconds) {
  const auto total = int64_t(std::lround(std::max(0.0, seconds)));
  const int64_t hours = total / 3600, minutes = total / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60)
                   : fmt::format("{}:{:02}", minutes, total % 60);
}

std::string utc_text(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

}  // namespace heed
