#include "heed/decode/term_matcher.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>

namespace heed {
namespace {

// Maximum number of forms that are looked at where several may have begun: a list may have
// thousands.
constexpr ptrdiff_t kMaxBegun = 64;

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
  }
  return forms;
}

TermMatcher::TermMatcher(const std::vector<std::vector<std::string>>& terms)
    : terms_(terms.size()) {
  std::map<std::string, std::vector<size_t>> accepting;
  for (size_t i = 0; i < terms.size(); ++i)
    for (const std::string& form : terms[i])
      if (!form.empty()) accepting[form].push_back(i);
  forms_.reserve(accepting.size());
  for (auto& [text, of] : accepting) forms_.push_back({text, std::move(of)});
  for (const Form& form : forms_) begins_form_[uint8_t(form.text[0])] = true;
}

// The forms that begin with the first bytes of the text stand together, and are fewer with each
// byte.
const TermMatcher::Form* TermMatcher::match_at(std::string_view text, size_t at,
                                               Result& result) const {
  const Form* whole = nullptr;
  const std::string_view rest = text.substr(at);
  auto first = forms_.begin(), last = forms_.end();
  for (size_t bytes = 0; first != last; ++bytes) {
    if (first->text.size() == bytes) {
      if (!is_inside_word(text, at + bytes)) whole = &*first;
      if (++first == last) break;
    }
    if (bytes == rest.size()) {
      for (const Form& form : std::span(first, std::min(last - first, kMaxBegun)))
        if (std::ranges::any_of(form.terms, [&](size_t term) { return !result.found[term]; }))
          result.begun.push_back({&form, bytes});
      break;
    }
    const auto next = uint8_t(rest[bytes]);
    first = std::partition_point(
        first, last, [&](const Form& form) { return uint8_t(form.text[bytes]) < next; });
    last = std::partition_point(
        first, last, [&](const Form& form) { return uint8_t(form.text[bytes]) == next; });
  }
  return whole;
}

TermMatcher::Result TermMatcher::search(std::string_view text, State from) const {
  Result result;
  result.stable = std::move(from);
  result.found = result.stable.found;
  bool stable = true;
  size_t at = result.stable.at;
  while (at < text.size()) {
    if (!begins_form_[uint8_t(text[at])] || !begins_character(text[at]) ||
        is_inside_word(text, at)) {
      ++at;
      continue;
    }
    const size_t begun = result.begun.size();
    const Form* whole = match_at(text, at, result);
    const size_t end = at + (whole ? whole->text.size() : 1);
    // A form that ends with the text may turn out to be the beginning of a word.
    if (stable && (result.begun.size() > begun || (whole && end == text.size()))) {
      stable = false;
      result.stable = {at, result.found};
    }
    if (whole) {
      const auto open =
          std::ranges::find_if(whole->terms, [&](size_t term) { return !result.found[term]; });
      if (open != whole->terms.end()) result.found[*open] = whole;
    }
    at = end;
  }
  if (stable) result.stable = {at, result.found};
  result.count = size_t(std::ranges::count_if(result.found, [](const Form* f) { return f; }));
  return result;
}

}  // namespace heed
