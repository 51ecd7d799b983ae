#include "heed/text/terms.h"

#include <algorithm>
#include <optional>

#include "heed/core/error.h"
#include "heed/core/scripts.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/text/entry_lines.h"
#include "heed/text/lines.h"
#include "heed/text/protected_spans.h"

namespace heed {
namespace {

// Letters, marks and digits of words between spaces.
bool is_of_spaced_word(char32_t character) {
  return !is_whitespace(character) && !is_punctuation(character) && !is_symbol(character) &&
         !is_format_character(character) && !is_unspaced(character) && character >= ' ';
}

// A text as terms are compared: in small letters, with one space for each run of white space.
struct FoldedText {
  std::string text;
  std::vector<size_t> places;  // of each byte of `text`, and of its end: a byte of the original
};

FoldedText folded(std::string_view original) {
  FoldedText result;
  result.text.reserve(original.size());
  result.places.reserve(original.size() + 1);
  bool space = false;
  for (size_t at = 0; at < original.size();) {
    const Utf8Character character = first_utf8_character(original.substr(at));
    const bool is_space = is_whitespace(character.value);
    if (!is_space || !space)
      result.text += is_space ? " " : lowercase(original.substr(at, character.bytes));
    space = is_space;
    result.places.resize(result.text.size(), at);
    at += character.bytes;
  }
  result.places.push_back(original.size());
  return result;
}

// The first word of a text that is not empty, or its first character if that belongs to no word.
std::string_view beginning_of(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const Utf8Character character = first_utf8_character(text.substr(at));
    if (!is_of_spaced_word(character.value)) return text.substr(0, at > 0 ? at : character.bytes);
    at += character.bytes;
  }
  return text;
}

void check_text(const std::string& text, std::string_view what, const std::string& source) {
  if (is_blank(text)) fail("{} of the term '{}' is empty", what, excerpt(source));
  if (find_invalid_utf8(text)) fail("{} of the term '{}' is not UTF-8", what, excerpt(source));
  if (text.size() > TermList::kMaxBytes)
    fail("{} of the term '{}' has {} bytes, expected at most {}", what, excerpt(source, 40),
         text.size(), TermList::kMaxBytes);
}

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    parts.emplace_back(without_leading_whitespace(without_trailing_whitespace(part)));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

TermCase case_of(const std::string& column) {
  for (const auto& [name, value] : enum_names(TermCase()))
    if (column == name) return value;
  if (column.empty()) return TermCase::any;
  fail("expected any or exact in the third column, got '{}'", excerpt(column, 40));
}

Term term_of(std::string_view line) {
  std::vector<std::string> columns = split_at(line, '\t');
  if (columns.size() < 2 || columns.size() > 5)
    fail(
        "expected 2 to 5 columns separated by tabs (source, target forms, case, kind, note), got "
        "{}",
        columns.size());
  columns.resize(5);
  const std::string& kind = columns[3];
  if (kind == "soft")
    fail(
        "soft terms are not supported: they need a model that was trained with terms in its "
        "source; hard ones hold for every model");
  if (!kind.empty() && kind != "hard")
    fail("expected hard in the fourth column, got '{}'", excerpt(kind, 40));
  return {.source = columns[0],
          .targets = split_at(columns[1], '|'),
          .matching = case_of(columns[2]),
          .note = columns[4]};
}

}  // namespace

bool is_inside_word(std::string_view text, size_t at) {
  return at > 0 && at < text.size() &&
         is_of_spaced_word(last_utf8_character(text.substr(0, at)).value) &&
         is_of_spaced_word(first_utf8_character(text.substr(at)).value);
}

TermList::TermList(std::vector<Term> terms) {
  for (Term& term : terms) add(std::move(term));
}

void TermList::add(Term term) {
  check_text(term.source, "the source", term.source);
  if (term.targets.empty()) fail("the term '{}' has no target form", excerpt(term.source));
  for (const std::string& target : term.targets) check_text(target, "a target form", term.source);
  const std::string own = folded(term.source).text;
  size_t node = 0;
  for (std::string_view rest = own; !rest.empty();) {
    const std::string_view word = beginning_of(rest);
    const auto [step, added] = next_.try_emplace({node, std::string(word)}, ends_.size());
    if (added) ends_.emplace_back();
    node = step->second;
    rest.remove_prefix(word.size());
  }
  std::vector<size_t>& alike = ends_[node];
  auto same = std::ranges::find_if(alike, [&](size_t i) {
    return terms_[i].matching == term.matching &&
           (term.matching == TermCase::any || terms_[i].source == term.source);
  });
  if (same == alike.end()) {
    const auto place = term.matching == TermCase::exact ? alike.begin() : alike.end();
    same = alike.insert(place, terms_.size());
    terms_.push_back({term.source, {}, term.matching, std::move(term.note)});
  }
  std::vector<std::string>& forms = terms_[*same].targets;
  for (std::string& target : term.targets)
    if (std::ranges::find(forms, target) == forms.end()) forms.push_back(std::move(target));
  if (forms.size() > kMaxForms)
    fail("the term '{}' has {} target forms, expected at most {}", excerpt(term.source),
         forms.size(), kMaxForms);
}

TermList TermList::parse(std::string_view text, const std::string& name) {
  std::vector<Term> terms;
  detail::for_each_entry(text, [&](std::string_view line, size_t number) {
    try {
      terms.push_back(term_of(line));
      TermList({terms.back()});  // is checked while its line is known
    } catch (const Error& error) {
      fail("{}, line {}: {}", name, number, error.what());
    }
  });
  if (terms.empty())
    fail("{} has no terms: expected a source, a tab and its target forms in each line", name);
  return TermList(std::move(terms));
}

TermList TermList::load(const std::filesystem::path& path) {
  LineReader reader = open_lines(path);
  reader.refuse_utf16();
  const std::string name = reader.name();
  return parse(read_text(std::move(reader)), name);
}

std::vector<TermPlace> TermList::find(std::string_view text) const {
  std::vector<TermPlace> found;
  const FoldedText line = folded(text);
  const std::string_view all = line.text;
  const auto is_term = [&](size_t term, size_t begin, size_t end) {
    return terms_[term].matching == TermCase::any ||
           text.substr(line.places[begin], line.places[end] - line.places[begin]) ==
               terms_[term].source;
  };
  std::optional<std::vector<ProtectedSpan>> spans;  // computed for the first term
  const auto overlaps = [&](const TermPlace& place) {
    if (!spans)
      spans = protected_spans(text, ProtectedKinds({"placeholders", "urls", "emails"}), {});
    return std::ranges::any_of(*spans, [&](const ProtectedSpan& span) {
      return place.begin < span.end && span.begin < place.end;
    });
  };
  for (size_t at = 0; at < all.size();) {
    const size_t first_end = at + beginning_of(all.substr(at)).size();
    std::optional<TermPlace> longest;
    size_t next = first_end, node = 0;
    for (size_t end = at; end < all.size();) {
      const std::string_view word = beginning_of(all.substr(end));
      const auto step = next_.find({node, std::string(word)});
      if (step == next_.end()) break;
      node = step->second;
      end += word.size();
      for (const size_t term : ends_[node]) {
        if (!is_term(term, at, end)) continue;
        longest = TermPlace{line.places[at], line.places[end], term};
        next = end;
        break;
      }
    }
    if (longest && !overlaps(*longest))
      found.push_back(*longest);
    else
      next = first_end;
    at = next;
  }
  return found;
}

std::string with_first_capital(std::string_view text) {
  const size_t first = text.empty() ? 0 : first_utf8_character(text).bytes;
  return uppercase(text.substr(0, first)).append(text.substr(first));
}

}  // namespace heed
