#include "heed/text/protected_spans.h"

#include <fmt/ranges.h>

#include <algorithm>

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

}  // namespace

ProtectedKinds::ProtectedKinds(const std::vector<std::string>& list) {
  const std::vector<std::string> names = split_at_commas(list);
  if (names == std::vector<std::string>{"none"}) return;
  constexpr auto kKinds = enum_names(ProtectedKind());
  for (const std::string& name : names) {
    const auto found =
        std::ranges::find_if(kKinds, [&](const auto& kind) { return kind.first == name; });
    if (found == kKinds.end())
      fail_usage(
          "--protect is '{}', expected {}, or none alone", excerpt(name),
          fmt::join({kKinds[0].first, kKinds[1].first, kKinds[2].first, kKinds[3].first}, ", "));
    bits_ |= 1u << int(found->second);
  }
}

std::vector<ProtectedSpan> protected_spans(std::string_view text, ProtectedKinds kinds,
                                           const std::vector<std::string>& unknown) {
  std::vector<ProtectedSpan> all;
  if (kinds.has(ProtectedKind::placeholders))
    for (const detail::Placeholder& found : detail::placeholders_in(text))
      all.push_back({found.begin, found.begin + found.length, ProtectedKind::placeholders});
  if (kinds.has(ProtectedKind::urls)) add_urls(text, all);
  if (kinds.has(ProtectedKind::emails)) add_emails(text, all);
  if (kinds.has(ProtectedKind::unknown)) add_unknown(text, unknown, all);
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
