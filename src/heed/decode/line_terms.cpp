#include "heed/decode/line_terms.h"

#include "heed/core/unicode.h"

namespace heed {
namespace {

bool begins_in(const LineTerm& term, size_t begin, size_t end) {
  return term.use.begin >= begin && term.use.begin < end;
}

}  // namespace

std::vector<LineTerm> terms_of_line(const TermList& terms, std::string_view line,
                                    const TermSpeller& speller) {
  std::vector<LineTerm> all;
  std::map<size_t, std::vector<TermSpeller::Spelling>> spelled;  // by the numbers of terms
  for (const TermPlace& place : terms.find(line)) {
    LineTerm& term = all.emplace_back();
    term.use.begin = place.begin;
    term.use.end = place.end;
    term.use.source = line.substr(place.begin, place.end - place.begin);
    const auto [known, is_new] = spelled.try_emplace(place.term);
    if (is_new)
      for (const std::string& form : accepted_forms(terms.terms()[place.term]))
        if (auto spelling = speller.spell(form)) known->second.push_back(std::move(*spelling));
    term.forms = known->second;
    if (term.forms.empty()) term.use.miss = TermMiss::vocabulary;
  }
  return all;
}

std::shared_ptr<const Constraint> demand_terms(const std::vector<LineTerm>& terms, size_t begin,
                                               size_t end, const TermSpeller& speller) {
  std::vector<std::vector<TermSpeller::Spelling>> demanded;
  for (const LineTerm& term : terms)
    if (begins_in(term, begin, end) && !term.forms.empty()) demanded.push_back(term.forms);
  if (demanded.empty()) return nullptr;
  return std::make_shared<const TermConstraint>(demanded, speller);
}

void mark_copied(std::vector<LineTerm>& terms, size_t begin, size_t end) {
  for (LineTerm& term : terms)
    if (begins_in(term, begin, end)) term.use.miss = TermMiss::copied;
}

std::vector<TermUse> term_uses(const std::vector<LineTerm>& terms, std::string_view translation,
                               TermMiss otherwise) {
  std::vector<TermUse> uses;
  if (terms.empty()) return uses;
  std::vector<std::vector<std::string>> forms;
  forms.reserve(terms.size());
  for (const LineTerm& term : terms) {
    forms.emplace_back();
    for (const TermSpeller::Spelling& form : term.forms) forms.back().push_back(form.text);
  }
  const TermMatcher matcher(forms);
  std::string text(translation);
  replace_all(text, " ", kSpaceSymbol);
  const std::vector<const TermMatcher::Form*> found = matcher.search(text, matcher.start()).found;
  uses.reserve(terms.size());
  for (size_t i = 0; i < terms.size(); ++i) {
    TermUse& use = uses.emplace_back(terms[i].use);
    if (!found[i]) {
      if (use.miss == TermMiss::none) use.miss = otherwise;
      continue;
    }
    use.miss = TermMiss::none;
    use.target = found[i]->text;
    replace_all(use.target, kSpaceSymbol, " ");
  }
  return uses;
}

}  // namespace heed
