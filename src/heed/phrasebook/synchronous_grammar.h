// A synchronous grammar: rules that build a Chinese and an English phrase from the same parts, so
// that every derivation is a pair of translations. Notations: lexicon.cpp for words,
// phrases.cpp for rules.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heed/core/rng.h"
#include "heed/phrasebook/english_morphology.h"

namespace heed::detail {

// A Chinese word, and an English word between spaces, that translate each other. Counted from 0.
struct WordLink {
  std::size_t chinese = 0, english = 0;
};

// The sentences of one derivation.
struct GeneratedSentence {
  std::vector<std::string> chinese_words;  // punctuation marks are words too
  std::string english;
  // Words that come from the same part of the derivation: a word of the lexicon with its
  // translation, a measure word with the container that it counts ("cups of"), 一 with an article,
  // and the fixed words of a rule, auxiliaries included, with one another.
  std::vector<WordLink> links;
  std::vector<std::string> content_words;  // its Chinese words of open classes only
};

// Const once built: draw() may be called from several threads.
class SynchronousGrammar {
 public:
  // Compiles the rules that can be reached from category `start`. Errors in the texts are internal
  // errors.
  SynchronousGrammar(const std::vector<std::string_view>& lexicons,
                     const std::vector<std::string_view>& rules, const std::string& start);

  // One random sentence. False for the rare unnatural derivation, such as "I know me" or one
  // that uses a name twice; draw again.
  bool draw(Random& random, GeneratedSentence& sentence) const;

 private:
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
    Form form = Form::base;   // English
    int agrees_with = -1;     // English: the part a verb or article agrees with
    std::string aspect;       // Chinese: the particle that is passed to the part
    bool is_measure = false;  // Chinese: the measure word of the part
  };
  struct Rule {
    int weight = 1;
    std::vector<int> parts;  // categories
    std::vector<Token> chinese, english;
  };
  struct Category {
    std::vector<Lexeme> lexemes;
    std::vector<Rule> rules;
    int weight = 0;  // of all rules
  };
  struct Node {
    const Lexeme* lexeme = nullptr;  // or a rule and its parts
    const Rule* rule = nullptr;
    std::vector<Node> parts;
  };
  // The part of a derivation that a word expresses.
  struct Origin;
  struct Word;
  struct Realization;

  void read_lexicon(std::string_view text);
  void read_rules(std::string_view text);
  int compile_category(const std::string& name);  // -1 if it is not defined
  bool compile_rule(const std::string& text, const std::string& argument, Rule& rule);
  Node expand(int id, Random& random) const;

  static const Node& head_node(const Node& node);
  static const Lexeme& head(const Node& node) { return *head_node(node).lexeme; }
  static Agreement agreement(const Node& node);
  static std::string join_english(const std::vector<Word>& words, std::vector<std::size_t>& places);

  std::map<std::string, std::vector<std::string>> sources_;  // texts of the rules
  std::map<std::string, int> category_of_;
  std::vector<Category> categories_;
  std::set<std::string> open_words_, closed_words_;  // Chinese, of the lexicon
  int start_ = -1;
};

}  // namespace heed::detail
