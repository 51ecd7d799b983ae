// The forms of English words that the phrasebook needs.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace heed::detail {

// The agreement of a verb with its subject.
enum class Agreement { first, second, third, plural };

// A form of a word or phrase that a rule can require. The names in rules are those of parse_form().
enum class Form {
  base,  // of nouns the singular, of pronouns the subject form
  past,
  participle,
  gerund,
  third,
  present,
  singular,
  plural,
  article,  // "a dog"
  generic,  // of all: "dogs", "tea"
  bare,     // without article or plural: "dog"
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
  know,       // `be` to `know`: an auxiliary or verb that agrees with the phrase
  inherited,  // the form that is required of the rule itself
  count,
};

using WordForms = std::array<std::string, std::size_t(Form::count)>;

// The form with this name in rules, such as "en" for the participle. An unknown name is an internal
// error.
Form parse_form(std::string_view name);

// "first", "second", "third" or "plural".
Agreement parse_agreement(std::string_view name);

// Fields as lexicon.cpp writes them, underscores for spaces.
WordForms verb_forms(std::string_view field);       // base[>past[>participle[>gerund]]][_rest]
WordForms adjective_forms(std::string_view field);  // base[>comparative>superlative]
WordForms person_forms(std::string_view field);     // subject[>object>possessive]
WordForms plain_forms(std::string_view field);      // invariable words
// singular[>plural]; with a container a mass noun, counted as "two cups of tea".
WordForms noun_forms(std::string_view field, std::string_view container);

// "Tom" -> "Tom's", plural "boys" -> "boys'".
std::string possessive_of(const std::string& phrase, Agreement agreement);
// The word for Form::be .. Form::know: "is" for (be, third), "live" for (live, plural).
std::string agreeing_word(Form form, Agreement agreement);
// "an" or "a", as the article before `next` must be.
std::string_view indefinite_article(std::string_view next);

}  // namespace heed::detail
