#include "heed/text/protected_spans.h"

#include <algorithm>
#include <set>

#include "heed/core/ascii.h"
#include "heed/core/error.h"
#include "heed/core/options.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/text/placeholders.h"
#include "heed/text/text_scanner.h"

namespace heed {
namespace {

using detail::is_one_of;

bool is_word(char c) {
  return is_ascii_letter(c) || is_ascii_digit(c);
}

// A character of an address; ASCII alone, so that 。 ends one.
bool is_of_url(char c) {
  return c > ' ' && c < 0x7F && !is_one_of(c, "<>\"`|\\^");
}

// The end of an address that begins at `begin`, without the punctuation that follows it in a
// sentence.
size_t end_of_url(std::string_view text, size_t begin) {
  size_t end = begin;
  int open = 0;  // parentheses
  for (; end < text.size() && is_of_url(text[end]); ++end) {
    if (text[end] == '(') ++open;
    if (text[end] == ')' && --open < 0) break;
  }
  while (end > begin && is_one_of(text[end - 1], ".,;:!?'*_~")) --end;
  return end;
}

void add_urls(std::string_view text, std::vector<ProtectedSpan>& spans) {
  for (const std::string_view start : {"http://", "https://", "ftp://", "www."})
    for (size_t at = text.find(start), next = 0; at != text.npos; at = text.find(start, next)) {
      next = at + start.size();
      if (at > 0 && is_word(text[at - 1])) continue;
      const size_t end = end_of_url(text, at);
      if (end <= next) continue;
      spans.push_back({at, end, ProtectedKind::urls});
      next = end;
    }
}

void add_emails(std::string_view text, std::vector<ProtectedSpan>& spans) {
  for (size_t at = text.find('@'); at != text.npos; at = text.find('@', at + 1)) {
    size_t begin = at;
    while (begin > 0 && (is_word(text[begin - 1]) || is_one_of(text[begin - 1], "._%+-"))) --begin;
    while (begin < at && !is_word(text[begin])) ++begin;
    size_t end = at + 1;
    while (end < text.size() && (is_word(text[end]) || is_one_of(text[end], ".-"))) ++end;
    while (end > at + 1 && !is_word(text[end - 1])) --end;
    const std::string_view domain = text.substr(at + 1, end - at - 1);
    const size_t dot = domain.rfind('.');
    if (begin == at || dot == domain.npos || dot == 0 || domain.size() - dot < 3) continue;
    spans.push_back({begin, end, ProtectedKind::emails});
  }
}

void add_unknown(std::string_view text, const std::vector<std::string>& unknown,
                 std::vector<ProtectedSpan>& spans) {
  if (unknown.empty()) return;
  for (size_t at = 0; at < text.size();) {
    const std::string_view one = text.substr(at, first_grapheme_bytes(text.substr(at)));
    if (std::ranges::find(unknown, one) != unknown.end())
      spans.push_back({at, at + one.size(), ProtectedKind::unknown});
    at += one.size();
  }
}

// The end of a number that begins at `at`: digits, and between them single characters that separate
// them.
size_t end_of_number(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size()) {
    const bool separates = is_one_of(text[end], ".,:/-") && end + 1 < text.size() &&
                           is_ascii_digit(text[end + 1]) && is_ascii_digit(text[end - 1]);
    if (!separates && !is_ascii_digit(text[end])) break;
    ++end;
  }
  return end;
}

// The end of a unit behind a number, with at most one space before it; `at` if there is none.
size_t end_of_unit(std::string_view text, size_t at) {
  static constexpr std::string_view kUnits[] = {
      "%",   "\u00B0C", "\u00B0F", "\u00B0", "kbit", "Kbit", "KiB", "MiB",     "GiB", "TiB",
      "kB",  "KB",      "MB",      "GB",     "TB",   "kHz",  "MHz", "GHz",     "Hz",  "dpi",
      "ppi", "px",      "pt",      "em",     "mm",   "cm",   "km",  "\u00B5m", "nm",  "kg",
      "mg",  "ms",      "\u00B5s", "ns",     "min",  "kW",   "mA",  "mV",      "dB",  "m",
      "g",   "s",       "h",       "V",      "W",    "A",    "K",   "B",       "L",   "l"};
  const size_t begin = at < text.size() && text[at] == ' ' ? at + 1 : at;
  for (const std::string_view unit : kUnits) {
    if (!text.substr(begin).starts_with(unit)) continue;
    const size_t end = begin + unit.size();
    const bool ends =
        end == text.size() || unit == "%" || !(is_word(text[end]) || uint8_t(text[end]) >= 0x80);
    if (ends) return end;
  }
  return at;
}

// Numbers that are no part of a word, with their units; versions with a v before them.
void add_numbers(std::string_view text, std::vector<ProtectedSpan>& spans) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (!is_ascii_digit(text[at])) continue;
    const size_t end = end_of_number(text, at);
    size_t begin = at;
    if (begin > 0 && is_one_of(text[begin - 1], "vV")) --begin;
    const bool in_word = begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '_' ||
                                       is_letter(last_utf8_character(text.substr(0, begin)).value));
    const bool goes_on = end < text.size() && (is_ascii_letter(text[end]) || text[end] == '_') &&
                         end_of_unit(text, end) == end;
    if (!in_word && !goes_on)
      spans.push_back({begin, end_of_unit(text, end), ProtectedKind::numbers});
    at = end - 1;
  }
}

// Paths of files: from /, ~/, ./, ../ or C:\ at the beginning of a word to the next space or
// character outside ASCII, without the punctuation of the sentence.
void add_paths(std::string_view text, std::vector<ProtectedSpan>& spans) {
  const auto begins_path = [&](size_t at) -> size_t {
    const std::string_view rest = text.substr(at);
    for (const std::string_view start : {"../", "./", "~/", "/"})
      if (rest.starts_with(start)) return start.size();
    const bool drive =
        rest.size() > 2 && is_ascii_letter(rest[0]) && rest[1] == ':' && is_one_of(rest[2], "\\/");
    return drive ? 3 : 0;
  };
  for (size_t at = 0; at < text.size(); ++at) {
    if (at > 0 && (is_word(text[at - 1]) || is_one_of(text[at - 1], "/\\:.~_-<"))) continue;
    const size_t start = begins_path(at);
    if (start == 0) continue;
    size_t end = at + start;
    while (end < text.size() && text[end] > ' ' && text[end] < 0x7F &&
           !is_one_of(text[end], "<>\"`|*?()[]{}',;"))
      ++end;
    while (end > at + start && is_one_of(text[end - 1], ".:!")) --end;
    if (end == at + start) continue;
    spans.push_back({at, end, ProtectedKind::paths});
    at = end - 1;
  }
}

// Code between backquotes of equal number, as Markdown has it.
void add_code(std::string_view text, std::vector<ProtectedSpan>& spans) {
  std::set<size_t> unclosed;  // lengths of runs that nothing closes any more
  for (size_t at = text.find('`'); at != text.npos;) {
    const size_t inside = std::min(text.find_first_not_of('`', at), text.size());
    const std::string run(inside - at, '`');
    size_t end = unclosed.contains(run.size()) ? text.npos : text.find(run, inside);
    while (end != text.npos && text.substr(end + run.size()).starts_with('`'))
      end = text.find(run, std::min(text.find_first_not_of('`', end), text.size()));
    if (end == text.npos) {
      unclosed.insert(run.size());
      at = text.find('`', inside);
    } else {
      spans.push_back({at, end + run.size(), ProtectedKind::code});
      at = text.find('`', end + run.size());
    }
  }
}

std::string kind_names() {
  std::string names;
  for (const auto& [name, kind] : enum_names(ProtectedKind())) names.append(name).append(", ");
  return names + "or none alone";
}

}  // namespace

bool ProtectedKinds::add(const std::string& name) {
  for (const auto& [known, kind] : enum_names(ProtectedKind())) {
    if (name != known) continue;
    bits_ |= 1u << int(kind);
    return true;
  }
  return false;
}

ProtectedKinds::ProtectedKinds(const std::vector<std::string>& list) {
  const std::vector<std::string> names = split_at_commas(list);
  if (names == std::vector<std::string>{"none"}) return;
  for (const std::string& name : names)
    if (!add(name)) fail_usage("--protect is '{}', expected {}", excerpt(name), kind_names());
  complete();
}

void ProtectedKinds::complete() {
  if (bits_ != 1u << int(ProtectedKind::accelerators) || !patterns_.empty()) return;
  for (const char* name : {"placeholders", "urls", "emails", "unknown"}) add(name);
}

ProtectedKinds ProtectedKinds::with_files(const std::vector<std::string>& list) {
  ProtectedKinds kinds;
  const std::vector<std::string> names = split_at_commas(list);
  if (names == std::vector<std::string>{"none"}) return kinds;
  std::error_code error;
  for (const std::string& name : names) {
    if (kinds.add(name)) continue;
    if (!std::filesystem::exists(name, error))
      fail_usage(
          "--protect is '{}', expected {}, or a file of regular expressions, and there is none of "
          "this name",
          excerpt(name), kind_names());
    kinds.patterns_.push_back(ProtectedPatterns::load(name));
  }
  kinds.complete();
  return kinds;
}

std::vector<ProtectedSpan> protected_spans(std::string_view text, const ProtectedKinds& kinds,
                                           const std::vector<std::string>& unknown) {
  std::vector<ProtectedSpan> all;
  if (kinds.has(ProtectedKind::placeholders))
    for (const detail::Placeholder& found : detail::placeholders_in(text))
      all.push_back({found.begin, found.begin + found.length, ProtectedKind::placeholders});
  if (kinds.has(ProtectedKind::urls)) add_urls(text, all);
  if (kinds.has(ProtectedKind::emails)) add_emails(text, all);
  if (kinds.has(ProtectedKind::unknown)) add_unknown(text, unknown, all);
  if (kinds.has(ProtectedKind::numbers)) add_numbers(text, all);
  if (kinds.has(ProtectedKind::paths)) add_paths(text, all);
  if (kinds.has(ProtectedKind::code)) add_code(text, all);
  std::vector<std::pair<size_t, size_t>> matches;
  for (const ProtectedPatterns& patterns : kinds.patterns()) patterns.find(text, matches);
  for (const auto& [begin, end] : matches) all.push_back({begin, end, ProtectedKind::patterns});
  // Of two that overlap the one that begins first is kept, of two that begin together the longer.
  std::ranges::stable_sort(all, [](const ProtectedSpan& a, const ProtectedSpan& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  size_t end = 0;
  std::erase_if(all, [&](const ProtectedSpan& span) {
    if (span.begin < end) return true;
    end = span.end;
    return false;
  });
  return all;
}

}  // namespace heed
