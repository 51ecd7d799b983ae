// The ends of sentences: punctuation of all scripts, and the words before a full stop that ends
// none.
#pragma once

#include <string_view>

namespace heed::detail {

// Marks at the end of a sentence.
enum class Mark {
  none,
  full_stop,  // also of abbreviations
  ellipsis,
  question,   // or an exclamation
  wide_stop,  // full stops of scripts that use them for nothing else
  wide_question
};

// `before` is the character before it, 0 at the beginning of a sentence: some characters are marks
// only in their script.
Mark mark_of(char32_t character, char32_t before);

// The words below are in lower case, without the full stop: "dr", "bzw", "др". There is one list
// for all languages: where a word is an abbreviation in one and may end a sentence in another, the
// sentence goes on.
bool is_abbreviation(std::string_view word);

// Abbreviations only before a number, otherwise words: "no" (No. 5), "art".
bool is_abbreviation_before_number(std::string_view word);

// Words before a German ordinal: "am" (am 3. Mai), "der" (der 2. Weltkrieg).
bool precedes_ordinal(std::string_view word);

// Nouns after an ordinal that may have no such word before it: "mai", "jahrhundert".
bool follows_ordinal(std::string_view word);

}  // namespace heed::detail
