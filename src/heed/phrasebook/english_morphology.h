// The forms of English words, as far as the phrasebook needs them.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace heed::detail {

// Who a verb agrees with.
enum class Agreement { first, second, third, plural };

// A form that a rule may ask of a word or phrase. The names in rules are those of parse_form().
enum class Form {
  base,  // also a noun in the singular, the subject form of a person
  past,
  participle,
  gerund,
  third,
  present,
  singular,
  plural,
  article,
  generic,
  bare,
  comparative,
  superlative,
  object,
  possessive,
  be,
  was,
  do_,
  dont,
  has,
  want,
  live,
  know,       // an auxiliary or verb that agrees with the phrase
  inherited,  // the form asked of the rule itself
  count,
};

using WordForms = std::array<std::string, std::size_t(Form::count)>;

// The form a rule calls `name`, such as "en" for the participle. A name that is none is our bug.
Form parse_form(std::string_view name);

// "first", "second", "third" or "plural".
Agreement parse_agreement(std::string_view name);

// Fields as lexicon.cpp writes them, underscores for spaces.
WordForms verb_forms(std::string_view field);       // base[>past[>participle[>gerund]]][_rest]
WordForms adjective_forms(std::string_view field);  // base[>comparative>superlative]
WordForms person_forms(std::string_view field);     // subject[>object>possessive]
WordForms plain_forms(std::string_view field);      // the same in every form
// singular[>plural]; with a container a mass noun, counted as "two cups of tea".
WordForms noun_forms(std::string_view field, std::string_view container);

// "Tom" -> "Tom's", plural "boys" -> "boys'".
std::string possessive_of(const std::string& phrase, Agreement agreement);
// The word for Form::be .. Form::know: "is" for (be, third), "live" for (live, plural).
std::string agreeing_word(Form form, Agreement agreement);
// "an" where the article before `next` must be so, else "a".
std::string_view indefinite_article(std::string_view next);

}  // namespace heed::detail
