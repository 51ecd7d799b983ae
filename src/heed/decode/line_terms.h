// The terms of a line: those that its translation must have, and those that it has.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/decode/term_constraint.h"
#include "heed/decode/translation.h"
#include "heed/text/terms.h"

namespace heed {

struct LineTerm {
  TermUse use;  // without the target
  std::vector<TermSpeller::Spelling> forms;
};

// The terms of a line.
std::vector<LineTerm> terms_of_line(const TermList& terms, std::string_view line,
                                    const TermSpeller& speller);

// The constraint on the translation of the bytes [begin, end) of the line; null if no term begins
// there, or none that can be spelled. The speller must outlive it.
std::shared_ptr<const Constraint> demand_terms(const std::vector<LineTerm>& terms, size_t begin,
                                               size_t end, const TermSpeller& speller);

// Marks the terms that begin in the bytes [begin, end) as those of a copied sentence.
void mark_copied(std::vector<LineTerm>& terms, size_t begin, size_t end);

// The terms and their forms in this translation, which lacks others for the reason `otherwise`.
std::vector<TermUse> term_uses(const std::vector<LineTerm>& terms, std::string_view translation,
                               TermMiss otherwise);

}  // namespace heed
