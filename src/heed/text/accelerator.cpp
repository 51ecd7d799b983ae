#include "heed/text/accelerator.h"

#include <algorithm>

#include "heed/core/ascii.h"
#include "heed/core/scripts.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/text/protected_spans.h"

namespace heed {
namespace {

constexpr std::string_view kSigns = "&_~";

// A letter or a digit, which a key has.
bool is_key(char32_t character) {
  return is_letter(character) || (character < 0x80 && is_ascii_digit(char(character)));
}

char32_t lower(char32_t character) {
  return first_utf8_character(lowercase(encode_utf8({&character, 1}))).value;
}

char32_t character_at(std::string_view text, size_t at) {
  return at < text.size() ? first_utf8_character(text.substr(at)).value : U' ';
}
char32_t character_before(std::string_view text, size_t at) {
  return at > 0 ? last_utf8_character(text.substr(0, at)).value : U' ';
}

// The parts of a text that are none of its words.
std::vector<ProtectedSpan> spans_of(std::string_view text) {
  static const ProtectedKinds kinds({"placeholders", "urls", "emails", "paths", "code"});
  return protected_spans(text, kinds, {});
}

bool is_inside(size_t at, const std::vector<ProtectedSpan>& spans) {
  return std::ranges::any_of(
      spans, [&](const ProtectedSpan& span) { return span.begin <= at && at < span.end; });
}

// "&lt;", "&#10;": a character of HTML.
bool is_entity(std::string_view text, size_t at) {
  if (text[at] != '&') return false;
  size_t end = at + 1;
  while (end < text.size() && (is_ascii_letter(text[end]) || is_ascii_digit(text[end]))) ++end;
  return end < text.size() && text[end] == ';';
}

// Whether the word around a sign is one that has an accelerator within it.
bool is_within_name(std::string_view text, size_t at) {
  size_t begin = at;
  while (is_key(character_before(text, begin)))
    begin -= last_utf8_character(text.substr(0, begin)).bytes;
  const char32_t first = character_at(text, begin), next = character_at(text, at + 1);
  const char32_t last = character_before(text, at);
  const bool one_letter = begin + first_utf8_character(text.substr(begin)).bytes == at;
  return lower(first) != first && lower(next) == next && (one_letter || lower(last) == last) &&
         character_before(text, begin) != '_';
}

// Whether the word behind a sign is the name of a function: "_exit()".
bool is_function(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && (is_key(character_at(text, end)) || text[end] == '_'))
    end += first_utf8_character(text.substr(end)).bytes;
  return text.substr(end).starts_with("()");
}

bool is_candidate(std::string_view text, size_t at, const std::vector<ProtectedSpan>& spans) {
  const char32_t before = character_before(text, at);
  if (!is_key(character_at(text, at + 1)) || is_inside(at, spans) || is_entity(text, at))
    return false;
  if (before == char32_t(text[at]) || is_function(text, at)) return false;
  return !is_key(before) || is_within_name(text, at);
}

// The one sign that may be an accelerator, of these; none if there are several.
std::optional<size_t> find_sign(std::string_view text, std::string_view signs,
                                const std::vector<ProtectedSpan>& spans) {
  std::optional<size_t> found;
  for (size_t at = text.find_first_of(signs); at != text.npos;
       at = text.find_first_of(signs, at + 1)) {
    if (!is_candidate(text, at, spans)) continue;
    if (found) return {};
    found = at;
  }
  return found;
}

// Removes the sign at this byte: "(&S)" as a whole, with a space before it.
Accelerator take(std::string& text, size_t at) {
  const Utf8Character letter = first_utf8_character(std::string_view(text).substr(at + 1));
  const Accelerator found{text[at], lower(letter.value)};
  const size_t end = at + 1 + letter.bytes;
  if (at > 0 && text[at - 1] == '(' && end < text.size() && text[end] == ')') {
    const size_t begin = at > 1 && text[at - 2] == ' ' ? at - 2 : at - 1;
    text.erase(begin, end + 1 - begin);
  } else {
    text.erase(at, 1);
  }
  return found;
}

// The best letter for the sign, if it can be before one.
std::optional<size_t> place_of(std::string_view text, const Accelerator& accelerator,
                               const std::vector<ProtectedSpan>& spans) {
  std::optional<size_t> same, first;
  size_t words = 0;
  for (size_t at = 0; at < text.size();) {
    const Utf8Character one = first_utf8_character(text.substr(at));
    if (is_key(one.value) && !is_unspaced(one.value) && !is_inside(at, spans)) {
      const bool begins = !is_key(character_before(text, at));
      const bool is_same = lower(one.value) == accelerator.letter;
      if (is_same && begins) return at;
      if (is_same && !same) same = at;
      if (begins && !first) first = at;
      if (begins) ++words;
    }
    at += one.bytes;
  }
  return same && words == 1 ? same : first;
}

}  // namespace

std::optional<Accelerator> take_accelerator(std::string& text) {
  const std::optional<size_t> at = find_sign(text, kSigns, spans_of(text));
  if (!at) return {};
  std::string rest = text;
  const Accelerator found = take(rest, *at);
  if (!std::ranges::any_of(decode_utf8(rest), is_key)) return {};
  text = std::move(rest);
  return found;
}

std::string with_accelerator(std::string text, const Accelerator& accelerator) {
  const std::string_view sign(&accelerator.sign, 1);
  const std::vector<ProtectedSpan> spans = spans_of(text);
  if (text.empty() || find_sign(text, sign, spans)) return text;
  const bool has_unspaced = std::ranges::any_of(
      decode_utf8(text), [](char32_t character) { return is_unspaced(character); });
  const auto place = has_unspaced ? std::nullopt : place_of(text, accelerator, spans);
  if (place) return text.insert(*place, sign);
  // Behind the words: "另存为(&A)...".
  constexpr std::u32string_view kBehind = U".:… ：";
  size_t end = text.size();
  while (end > 0 && kBehind.find(character_before(text, end)) != kBehind.npos)
    end -= last_utf8_character(std::string_view(text).substr(0, end)).bytes;
  char32_t key = accelerator.letter;
  if (key >= 'a' && key <= 'z') key -= 'a' - 'A';
  return text.insert(end, "(" + std::string(sign) + encode_utf8({&key, 1}) + ")");
}

}  // namespace heed
