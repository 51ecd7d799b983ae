#include "heed/documents/rst_lines.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "heed/core/ascii.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"

namespace heed::detail {
namespace {

using MarkerKind = RstMarker::Kind;

bool is_alphanumeric(char c) {
  return is_ascii_letter(char32_t(uint8_t(c))) || is_ascii_digit(char32_t(uint8_t(c)));
}
bool is_blank_behind(std::string_view line, size_t at) {
  return at >= line.size() || line[at] == ' ' || line[at] == '\t';
}
size_t behind_blanks(std::string_view line, size_t at) {
  return std::min(line.find_first_not_of(" \t", at), line.size());
}

// The marker of this kind and the spaces behind it, which must be there unless the line ends.
RstMarker marker_of(MarkerKind kind, std::string_view line, size_t bytes) {
  if (bytes == 0 || !is_blank_behind(line, bytes)) return {};
  return {kind, behind_blanks(line, bytes)};
}

size_t bullet_bytes(std::string_view line) {
  if (std::string_view("-+*").find(line.front()) != std::string_view::npos) return 1;
  for (const std::string_view bullet : {"\u2022", "\u2023", "\u2043"})
    if (line.starts_with(bullet)) return bullet.size();
  return 0;
}

// "(a)", "a)" or "a.": what counts, and the bytes of the whole.
struct Enumerator {
  std::string_view ordinal = {};
  size_t bytes = 0;
  char before = ' ', behind = ' ';
};

// Whether letters are a number as the Romans wrote it.
bool is_roman(std::string_view letters) {
  static constexpr std::string_view kDigits[] = {"m",  "cm", "d",  "cd", "c",  "xc", "l",
                                                 "xl", "x",  "ix", "v",  "iv", "i"};
  static constexpr int kMost[] = {4, 1, 1, 1, 3, 1, 1, 1, 3, 1, 1, 1, 3};
  const std::string lower = lower_ascii(letters);
  if (lower != letters && uppercase(letters) != letters) return false;
  std::string_view rest = lower;
  for (size_t digit = 0; digit < std::size(kDigits); ++digit)
    for (int n = 0; n < kMost[digit] && rest.starts_with(kDigits[digit]); ++n)
      rest.remove_prefix(kDigits[digit].size());
  return rest.empty() && letters.size() < 16;
}

Enumerator enumerator_of(std::string_view line) {
  Enumerator found;
  const size_t begin = line.starts_with('(') ? 1 : 0;
  size_t end = begin;
  if (end < line.size() && line[end] == '#')
    ++end;
  else
    while (end < line.size() && is_alphanumeric(line[end])) ++end;
  if (end == begin || end >= line.size()) return {};
  found.ordinal = line.substr(begin, end - begin);
  found.before = begin > 0 ? '(' : ' ';
  found.behind = line[end];
  if (found.behind != ')' && (found.behind != '.' || begin > 0)) return {};
  const bool is_count = found.ordinal == "#" || is_digits(found.ordinal) ||
                        (found.ordinal.size() == 1 && !is_digits(found.ordinal)) ||
                        is_roman(found.ordinal);
  found.bytes = end + 1;
  return is_count && is_blank_behind(line, found.bytes) ? found : Enumerator();
}

// Whether one enumerator follows another.
bool is_next_ordinal(std::string_view ordinal, std::string_view next) {
  if (next == "#") return true;
  if (is_digits(ordinal)) {
    const auto number = whole_number<int64_t>(ordinal, 0, INT32_MAX);
    return number && next == std::to_string(*number + 1);
  }
  if (ordinal.size() == 1 && next.size() == 1 && next[0] == ordinal[0] + 1) return true;
  return is_roman(ordinal) && is_roman(next) && ordinal != next;
}

// Behind an argument of an option, or `at` where none is.
size_t behind_argument(std::string_view line, size_t at) {
  if (at >= line.size()) return at;
  if (line[at] == '<') {
    const size_t end = line.find_first_of("<>", at + 1);
    return end != line.npos && line[end] == '>' && end > at + 1 ? end + 1 : at;
  }
  if (!is_ascii_letter(char32_t(uint8_t(line[at])))) return at;
  while (at < line.size() && (is_alphanumeric(line[at]) || line[at] == '-' || line[at] == '_'))
    ++at;
  return at;
}

// Behind an option such as "-f FILE", "--file=FILE" or "/F", or 0.
size_t behind_option(std::string_view line, size_t at) {
  const bool is_long = line.substr(at).starts_with("--") || line.substr(at).starts_with('/');
  if (!is_long && !line.substr(at).starts_with('-') && !line.substr(at).starts_with('+')) return 0;
  at += line.substr(at).starts_with("--") ? 2 : 1;
  if (at >= line.size() || !is_alphanumeric(line[at])) return 0;
  ++at;
  if (is_long)
    while (at < line.size() && (is_alphanumeric(line[at]) || line[at] == '-' || line[at] == '_'))
      ++at;
  const bool is_apart = at < line.size() && (line[at] == ' ' || (is_long && line[at] == '='));
  const size_t argument = at + (is_apart ? 1 : 0);
  const size_t behind = is_long && !is_apart ? at : behind_argument(line, argument);
  return behind > argument ? behind : at;
}

RstMarker option_marker(std::string_view line) {
  size_t at = behind_option(line, 0);
  while (at > 0 && line.substr(at).starts_with(", ")) at = behind_option(line, at + 2);
  if (at == 0) return {};
  const size_t behind = behind_blanks(line, at);
  const bool is_apart = behind >= at + 2 || (behind > at && line[at] == '\t');
  return is_apart || behind == line.size() ? RstMarker{MarkerKind::option, behind} : RstMarker{};
}

bool is_grid_table(std::string_view line) {
  return line.size() >= 4 && line.starts_with("+-") && line.ends_with("-+") &&
         line.find_first_not_of("-+") == line.npos;
}
bool is_simple_table(std::string_view line) {
  return line.starts_with('=') && line.find(' ') != line.npos &&
         line.find_first_not_of("= ") == line.npos;
}

}  // namespace

bool is_rst_adornment(std::string_view line) {
  return !line.empty() && is_ascii_punctuation(line.front()) &&
         line.find_first_not_of(line.front()) == line.npos;
}

RstMarker rst_marker(std::string_view line) {
  if (line.empty()) return {};
  if (const RstMarker found = marker_of(MarkerKind::bullet, line, bullet_bytes(line));
      found.bytes > 0)
    return found;
  if (const RstMarker found = marker_of(MarkerKind::enumerator, line, enumerator_of(line).bytes);
      found.bytes > 0)
    return found;
  if (const RstMarker found = marker_of(MarkerKind::field, line, rst_field_bytes(line));
      found.bytes > 0)
    return found;
  if (const RstMarker found = option_marker(line); found.bytes > 0) return found;
  static constexpr std::pair<std::string_view, MarkerKind> kMarkers[] = {
      {">>>", MarkerKind::doctest},
      {"|", MarkerKind::line_block},
      {"..", MarkerKind::explicit_markup},
      {"__", MarkerKind::anonymous_target}};
  for (const auto& [text, kind] : kMarkers)
    if (line.starts_with(text) && is_blank_behind(line, text.size()))
      return marker_of(kind, line, text.size());
  if (is_grid_table(line)) return {MarkerKind::grid_table, line.size()};
  if (is_simple_table(line)) return {MarkerKind::simple_table, line.size()};
  if (is_rst_adornment(line)) return {MarkerKind::adornment, line.size()};
  return {};
}

bool begins_rst_item(std::string_view line, std::string_view next_line) {
  const Enumerator one = enumerator_of(line), next = enumerator_of(next_line);
  return next_line.empty() || (one.before == next.before && one.behind == next.behind &&
                               is_next_ordinal(one.ordinal, next.ordinal));
}

size_t rst_name_bytes(std::string_view text) {
  size_t end = 0;
  bool is_joined = true;  // the next must be a letter or digit
  for (size_t at = 0; at < text.size();) {
    const Utf8Character next = first_utf8_character(text.substr(at));
    at += next.bytes;
    if (is_letter(next.value) || is_number(next.value))
      end = at, is_joined = false;
    else if (is_joined || next.value >= 0x80 ||
             std::string_view("-._+:").find(char(next.value)) == std::string_view::npos)
      break;
    else
      is_joined = true;
  }
  return end;
}

size_t rst_directive_bytes(std::string_view text) {
  const size_t name = rst_name_bytes(text);
  if (name == 0) return 0;
  const size_t colons = text.substr(name).starts_with(' ') ? name + 1 : name;
  return text.substr(colons).starts_with("::") && is_blank_behind(text, colons + 2) ? colons + 2
                                                                                    : 0;
}

size_t rst_field_bytes(std::string_view line) {
  if (line.size() < 3 || line[0] != ':' || line[1] == ':' || line[1] == ' ') return 0;
  for (size_t at = 1; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
    } else if (line[at] == ':') {
      if (is_blank_behind(line, at + 1)) return line[at - 1] == ' ' ? 0 : at + 1;
      if (line[at + 1] == '`') return 0;
    }
  }
  return 0;
}

size_t rst_label_bytes(std::string_view text) {
  if (!text.starts_with('[')) return 0;
  size_t at = 1;
  if (text.substr(at).starts_with('*'))
    ++at;
  else
    at += text.substr(at).starts_with('#') ? 1 + rst_name_bytes(text.substr(2))
                                           : rst_name_bytes(text.substr(at));
  return at > 1 && text.substr(at).starts_with(']') ? at + 1 : 0;
}

size_t rst_columns(std::string_view text) {
  size_t columns = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = first_utf8_character(text.substr(at)).bytes;
    columns += size_t(std::max<int64_t>(1, terminal_width(text.substr(at, bytes))));
    at += bytes;
  }
  return columns;
}

}  // namespace heed::detail
