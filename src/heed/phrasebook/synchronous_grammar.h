// A synchronous grammar: rules that build a Chinese and an English phrase from the same parts, so
// that every derivation is a pair of translations. Notations: lexicon.cpp for words,
// phrases.cpp for rules.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/core/rng.h"
#include "heed/phrasebook/english_morphology.h"
#include "heed/phrasebook/phrasebook.h"

namespace heed::detail {

// The grammar of the phrasebook. Const once built: draw() may be called from several threads.
class SynchronousGrammar {
 public:
  // Compiles the rules that can be reached from the category S. Errors in their texts are internal
  // errors.
  SynchronousGrammar();
  SynchronousGrammar(const SynchronousGrammar&) = delete;
  SynchronousGrammar& operator=(const SynchronousGrammar&) = delete;

  // One random sentence, and its Chinese words of open classes. False for the rare unnatural
  // derivation, such as "I know me" or one that uses a name twice; draw again.
  bool draw(Random& random, SentencePair& pair, std::vector<std::string>& content_words) const;

  // A Chinese word and its English.
  struct Lexeme {
    std::string chinese, measure;
    WordForms english;
    Agreement agreement = Agreement::third;
    bool is_noun = false, is_person = false, is_closed = false;
  };
  // A token of one side of a rule: a part if `part` >= 0, else a literal word.
  struct Token {
    std::string literal;
    int part = -1;
    std::string form;      // English: "base", "past", ...; Chinese: "m" for the measure word
    int agrees_with = -1;  // English: the part a verb or article agrees with
    std::string aspect;    // Chinese: the particle that is passed to the part
  };
  struct Category;
  struct Rule {
    int weight = 1;
    std::vector<const Category*> parts;
    std::vector<Token> chinese, english;
  };
  // Words or rules.
  struct Category {
    std::vector<Lexeme> lexemes;
    std::vector<Rule> rules;
    int weight = 0;  // of all rules
  };

 private:
  void read_lexicon(std::string_view text);
  void read_rules(std::string_view text);
  const Category* category(const std::string& name);  // nullptr if it is not defined
  // Adds a rule, unless it names a category that does not exist for this argument.
  void add_rule(const std::string& text, const std::string& argument, Category& category);

  // By category, each with an argument of its own, which may be empty.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> rule_texts_;
  std::map<std::string, Category> categories_;
  std::map<std::string, bool> is_open_;  // of the Chinese words of the lexicon
  const Category* start_;
};

// The texts of the grammar: words and rules. Each source file explains its notation.
extern const char* const kPhrasebookLexicon;    // lexicon.cpp: words
extern const char* const kPhrasebookPhrases;    // phrases.cpp: parts of sentences
extern const char* const kPhrasebookSentences;  // sentences.cpp: whole sentences

}  // namespace heed::detail
