// Words before a full stop that does not end a sentence. One list for all languages: where a word
// is an abbreviation in one language and may end a sentence in another, the sentence goes on.
#pragma once

#include <string_view>

namespace heed::detail {

// All words are in lower case, without the full stop: "dr", "bzw", "др".
bool is_abbreviation(std::string_view word);

// Abbreviations only before a number, otherwise words: "no" (No. 5), "art".
bool is_abbreviation_before_number(std::string_view word);

// Words before a German ordinal: "am" (am 3. Mai), "der" (der 2. Weltkrieg).
bool precedes_ordinal(std::string_view word);

// Nouns after an ordinal that may have no such word before it: "mai", "jahrhundert".
bool follows_ordinal(std::string_view word);

}  // namespace heed::detail
