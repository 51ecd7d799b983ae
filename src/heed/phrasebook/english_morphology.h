// The forms of English words that the phrasebook needs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heed::detail {

// The texts between separators.
std::vector<std::string> split(std::string_view text, char separator);
// The words between white space.
std::vector<std::string> words_of(const std::string& text);

// The agreement of a verb with its subject.
enum class Agreement { first, second, third, plural };

// "first", "second", "third" or "plural".
Agreement parse_agreement(std::string_view name);

// The forms of a word by their names in rules (phrases.cpp). "base" is that of a noun's singular
// and of a pronoun as subject; "third" is a verb's present for the third person.
using WordForms = std::map<std::string, std::string, std::less<>>;

// The base where a word has no form of that name.
const std::string& form_of(const WordForms& forms, std::string_view name);

// The forms of a field of the lexicon, of a word of this kind (lexicon.cpp). A noun with a
// container is a mass noun.
WordForms word_forms(std::string_view kind, std::string_view field, const std::string& container);

// Whether rules may name this form.
bool is_form(std::string_view name);

// "Tom" -> "Tom's", plural "boys" -> "boys'".
std::string possessive_of(const std::string& phrase, Agreement agreement);
// The word for an auxiliary or verb that rules name as a form of its subject: "is" for ("be",
// third), "live" for ("live", plural). Empty for any other form.
std::string_view agreeing_word(std::string_view form, Agreement agreement);
// "an" or "a", as the article before `next` must be.
std::string_view indefinite_article(std::string_view next);

}  // namespace heed::detail
