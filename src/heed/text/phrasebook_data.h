// The data of the phrasebook's grammar: words and rules, in the notations explained where they
// stand.
#pragma once

namespace heed {

extern const char* const kPhrasebookLexicon;    // phrasebook_lexicon.cpp: nouns and verbs
extern const char* const kPhrasebookModifiers;  // phrasebook_lexicon.cpp: all other words
extern const char* const kPhrasebookPhrases;    // phrasebook_phrases.cpp: parts of sentences
extern const char* const kPhrasebookSentences;  // phrasebook_sentences.cpp: whole sentences

}  // namespace heed
