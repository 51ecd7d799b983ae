// The data of the phrasebook's grammar: words and rules. Each source file explains its notation.
#pragma once

namespace heed::detail {

extern const char* const kPhrasebookLexicon;    // lexicon.cpp: nouns and verbs
extern const char* const kPhrasebookModifiers;  // lexicon.cpp: all other words
extern const char* const kPhrasebookPhrases;    // phrases.cpp: parts of sentences
extern const char* const kPhrasebookSentences;  // sentences.cpp: whole sentences

}  // namespace heed::detail
