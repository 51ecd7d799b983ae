#include "heed/decode/term_matcher.h"

#include <algorithm>

namespace heed {
namespace {

constexpr size_t kBytes = 256;

// Whether a character begins at this byte of UTF-8.
bool begins_character(char byte) {
  return (uint8_t(byte) & 0xC0) != 0x80;
}

}  // namespace

std::vector<std::string> accepted_forms(const Term& term) {
  std::vector<std::string> forms;
  const auto add = [&](std::string form) {
    if (std::ranges::find(forms, form) == forms.end()) forms.push_back(std::move(form));
  };
  for (const std::string& target : term.targets) {
    add(target);
    if (term.matching == TermCase::exact) continue;
    add(with_first_capital(target));
    add(with_first_small(target));
  }
  return forms;
}

TermMatcher::TermMatcher(const std::vector<std::vector<std::string>>& terms)
    : terms_(terms.size()), by_first_byte_(kBytes) {
  std::map<std::string, std::vector<size_t>> accepting;
  for (size_t i = 0; i < terms.size(); ++i)
    for (const std::string& form : terms[i])
      if (!form.empty()) accepting[form].push_back(i);
  for (auto& [text, of] : accepting) forms_.push_back({text, std::move(of)});
  std::ranges::stable_sort(forms_, std::greater(), [](const Form& f) { return f.text.size(); });
  for (const Form& form : forms_) by_first_byte_[uint8_t(form.text[0])].push_back(&form);
}

TermMatcher::Match TermMatcher::match_at(std::string_view text, size_t at,
                                         std::vector<Begun>& begun) const {
  Match match;
  const std::string_view rest = text.substr(at);
  for (const Form* form : by_first_byte_[uint8_t(rest[0])]) {
    if (rest.size() < form->text.size()) {
      if (!form->text.starts_with(rest)) continue;
      begun.push_back({form, rest.size()});
      match.begins = true;
    } else if (!match.whole && rest.starts_with(form->text) &&
               !is_inside_word(text, at + form->text.size())) {
      match.whole = form;
    }
  }
  return match;
}

TermMatcher::Result TermMatcher::search(std::string_view text, State from) const {
  Result result;
  result.stable = std::move(from);
  result.found = result.stable.found;
  bool stable = true;
  size_t at = result.stable.at;
  while (at < text.size()) {
    if (by_first_byte_[uint8_t(text[at])].empty() || !begins_character(text[at]) ||
        is_inside_word(text, at)) {
      ++at;
      continue;
    }
    const Match match = match_at(text, at, result.begun);
    const size_t end = at + (match.whole ? match.whole->text.size() : 1);
    // A form that ends with the text may turn out to be the beginning of a word.
    if (stable && (match.begins || (match.whole && end == text.size()))) {
      stable = false;
      result.stable = {at, result.found};
    }
    if (match.whole) {
      const auto open = std::ranges::find_if(match.whole->terms,
                                             [&](size_t term) { return !result.found[term]; });
      if (open != match.whole->terms.end()) result.found[*open] = match.whole;
    }
    at = end;
  }
  if (stable) result.stable = {at, result.found};
  result.count = size_t(std::ranges::count_if(result.found, [](const Form* f) { return f; }));
  return result;
}

}  // namespace heed
