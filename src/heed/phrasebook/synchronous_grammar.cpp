#include "heed/phrasebook/synchronous_grammar.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "heed/core/error.h"

namespace heed::detail {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool is_number_form(Form form) {
  return form == Form::inherited || form == Form::singular || form == Form::plural ||
         form == Form::article || form == Form::generic || form == Form::bare;
}

bool is_agreeing_form(Form form) {
  return form >= Form::be && form <= Form::know;
}

constexpr std::string_view kParameter = "X";

// The text between the braces of a part: Category2[Argument].form~other+aspect.
struct PartText {
  explicit PartText(const std::string& token) : category(token.substr(1, token.size() - 2)) {
    aspect = cut_at('+');
    agrees_with = cut_at('~');
    form = cut_at('.');
    key = category.substr(0, category.find('['));
  }

  std::string category, key, form, agrees_with, aspect;

 private:
  // Takes what follows `mark` off the end of the category.
  std::string cut_at(char mark) {
    const std::size_t place = category.find(mark);
    if (place == std::string::npos) return {};
    std::string rest = category.substr(place + 1);
    category.resize(place);
    return rest;
  }
};

// "Category2[Argument]" -> "Category[Argument]", the parameter replaced by its argument.
std::string category_of_part(const std::string& text, const std::string& argument) {
  const std::size_t bracket = std::min(text.find('['), text.size());
  std::string base = text.substr(0, bracket);
  while (base.back() >= '0' && base.back() <= '9') base.pop_back();
  if (base == kParameter) base = argument;
  if (bracket == text.size()) return base;
  std::string inner = text.substr(bracket + 1, text.size() - bracket - 2);
  return base + "[" + (inner == kParameter ? argument : inner) + "]";
}

// Tells whether two words are of one person: "I" and "us", or a name said twice.
std::string first_character(const std::string& chinese) {
  return chinese.substr(0, 3);
}

}  // namespace

SynchronousGrammar::SynchronousGrammar(const std::vector<std::string_view>& lexicons,
                                       const std::vector<std::string_view>& rules,
                                       const std::string& start) {
  for (const std::string_view text : lexicons) read_lexicon(text);
  for (const std::string_view text : rules) read_rules(text);
  start_ = compile_category(start);
  check(start_ >= 0, "the phrasebook's grammar lacks its start category");
}

void SynchronousGrammar::read_lexicon(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string kind;
  bool is_closed = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('@')) {
      const std::vector<std::string> header = words_of(line.substr(1));
      kind = header.at(1);
      is_closed = header.size() > 2;
      category_of_[header[0]] = int(categories_.size());
      categories_.emplace_back();
      continue;
    }
    std::istringstream entries(line);
    for (std::string entry; std::getline(entries, entry, ';');) {
      const std::vector<std::string> fields = words_of(entry);
      if (fields.empty()) continue;
      Lexeme lexeme;
      lexeme.chinese = fields[0];
      lexeme.is_closed = is_closed;
      (is_closed ? closed_words_ : open_words_).insert(lexeme.chinese);
      if (kind == "noun") {
        lexeme.is_noun = true;
        lexeme.measure = fields.at(1);
        lexeme.english = noun_forms(fields.at(2), fields.size() > 3 ? fields[3] : "");
      } else if (kind == "person") {
        lexeme.is_person = true;
        lexeme.english = person_forms(fields.at(1));
        lexeme.agreement = parse_agreement(fields.at(2));
      } else {
        lexeme.english = kind == "verb"        ? verb_forms(fields.at(1))
                         : kind == "adjective" ? adjective_forms(fields.at(1))
                                               : plain_forms(fields.at(1));
      }
      categories_.back().lexemes.push_back(std::move(lexeme));
    }
  }
}

void SynchronousGrammar::read_rules(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::vector<std::string>* source = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line[0] != '@') {
      check(source != nullptr, "a phrasebook rule precedes any category");
      source->push_back(line);
      continue;
    }
    source = &sources_[line.substr(1)];
  }
}

int SynchronousGrammar::compile_category(const std::string& name) {
  if (const auto found = category_of_.find(name); found != category_of_.end()) return found->second;
  auto source = sources_.find(name);
  std::string argument;
  if (const std::size_t bracket = name.find('['); source == sources_.end()) {
    if (bracket == std::string::npos) return -1;
    argument = name.substr(bracket + 1, name.size() - bracket - 2);
    source = sources_.find(name.substr(0, bracket) + "[X]");
    if (source == sources_.end()) return -1;
  }
  const int id = int(categories_.size());
  category_of_[name] = id;
  categories_.emplace_back();
  for (const std::string& text : source->second) {
    Rule rule;
    if (!compile_rule(text, argument, rule)) continue;
    categories_[id].weight += rule.weight;
    categories_[id].rules.push_back(std::move(rule));
  }
  if (categories_[id].rules.empty()) return category_of_[name] = -1;
  return id;
}

// False where the rule names a category that does not exist for this argument.
bool SynchronousGrammar::compile_rule(const std::string& text, const std::string& argument,
                                      Rule& rule) {
  const std::vector<std::string> words = words_of(text);
  rule.weight = std::stoi(words.at(0));
  std::map<std::string, int> part_of_key;
  bool is_english = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "||") {
      is_english = true;
      continue;
    }
    Token token;
    token.literal = words[i];
    if (words[i][0] == '{') {
      const PartText part(words[i]);
      if (!is_english && part_of_key.count(part.key) == 0) {
        const std::string name = category_of_part(part.category, argument);
        const int category = compile_category(name);
        // Only a category with an argument may be missing.
        check(category >= 0 || name.find('[') != std::string::npos,
              ("a phrasebook rule lacks a category: " + text).c_str());
        if (category < 0) return false;
        part_of_key[part.key] = int(rule.parts.size());
        rule.parts.push_back(category);
      }
      check(part_of_key.count(part.key) > 0 &&
                (part.agrees_with.empty() || part_of_key.count(part.agrees_with) > 0),
            ("a phrasebook rule refers to an unknown part: " + text).c_str());
      token.part = part_of_key[part.key];
      token.aspect = part.aspect;
      token.is_measure = !is_english && part.form == "m";
      if (is_english && !part.form.empty()) token.form = parse_form(part.form);
      if (!part.agrees_with.empty()) {
        token.agrees_with = part_of_key[part.agrees_with];
        if (part.form.empty()) token.form = Form::present;
      }
    }
    (is_english ? rule.english : rule.chinese).push_back(std::move(token));
  }
  check(is_english && !rule.english.empty(), "a phrasebook rule lacks its English side");
  return true;
}

SynchronousGrammar::Node SynchronousGrammar::expand(int id, Random& random) const {
  const Category& category = categories_[id];
  Node node;
  if (!category.lexemes.empty()) {
    node.lexeme = &category.lexemes[random.below(category.lexemes.size())];
    return node;
  }
  int ticket = int(random.below(uint64_t(category.weight)));
  auto rule = category.rules.begin();
  for (; ticket >= rule->weight; ++rule) ticket -= rule->weight;
  node.rule = &*rule;
  for (const int part : rule->parts) node.parts.push_back(expand(part, random));
  return node;
}

const SynchronousGrammar::Lexeme& SynchronousGrammar::head(const Node& node) {
  if (node.lexeme) return *node.lexeme;
  for (const Token& token : node.rule->english)
    if (token.part >= 0 && is_number_form(token.form)) return head(node.parts[token.part]);
  return head(node.parts.front());
}

Agreement SynchronousGrammar::agreement(const Node& node) {
  if (node.lexeme) return node.lexeme->agreement;
  for (const Token& token : node.rule->english) {
    if (token.part < 0 || !is_number_form(token.form)) continue;
    const Node& part = node.parts[token.part];
    if (token.form == Form::inherited) return agreement(part);
    const WordForms& words = head(part).english;
    const std::string& word = words[std::size_t(token.form)];
    if (token.form == Form::plural) return Agreement::plural;
    if (token.form == Form::article || token.form == Form::singular) return Agreement::third;
    // "Some apples", "my jeans", "some noodles": unlike the form that counts them, and in -s.
    const bool is_plural = word.back() == 's' && word != words[std::size_t(Form::singular)];
    const bool is_irregular =
        token.form == Form::generic && word == words[std::size_t(Form::plural)];
    return is_plural || is_irregular ? Agreement::plural : Agreement::third;
  }
  return Agreement::third;
}

// The words of a derivation on both sides.
struct SynchronousGrammar::Realization {
  std::vector<std::string> chinese, english;
  std::vector<const Lexeme*> lexemes, objects, subjects;

  void add_chinese(const Node& node, const std::string& aspect) {
    if (node.lexeme) {
      chinese.push_back(node.lexeme->chinese);
      lexemes.push_back(node.lexeme);
      return;
    }
    for (const Token& token : node.rule->chinese) {
      if (token.part < 0) {
        if (token.literal != "*")
          chinese.push_back(token.literal);
        else if (!aspect.empty())
          chinese.push_back(aspect);
      } else if (token.is_measure) {
        chinese.push_back(head(node.parts[token.part]).measure);
      } else {
        add_chinese(node.parts[token.part], token.aspect == "*" ? aspect : token.aspect);
      }
    }
  }

  void add_english(const Node& node, Form form, Agreement subject) {
    if (is_agreeing_form(form)) {
      english.push_back(agreeing_word(form, agreement(node)));
    } else if (node.lexeme) {
      if (node.lexeme->is_person && form == Form::object) objects.push_back(node.lexeme);
      if (node.lexeme->is_person && form == Form::base) subjects.push_back(node.lexeme);
      if (form == Form::present) form = subject == Agreement::third ? Form::third : Form::base;
      english.push_back(node.lexeme->english[std::size_t(form)]);
    } else {
      add_english_of_rule(node, form, subject);
    }
  }

  void add_english_of_rule(const Node& node, Form form, Agreement subject) {
    bool inherits = false;
    for (const Token& token : node.rule->english) {
      if (token.part < 0) {
        english.push_back(token.literal);
        continue;
      }
      const Node& part = node.parts[token.part];
      inherits |= token.form == Form::inherited;
      const Agreement with =
          token.agrees_with >= 0 ? agreement(node.parts[token.agrees_with]) : subject;
      Form asked = token.form == Form::inherited ? form : token.form;
      if (asked == Form::article && token.agrees_with >= 0 && with == Agreement::plural)
        asked = Form::plural;
      add_english(part, asked, with);
    }
    if (!inherits && form == Form::possessive)
      english.back() = possessive_of(english.back(), agreement(node));
  }
};

namespace {

// Words to a sentence: spaces, articles, marks at the word before, a capital at the start.
std::string join_english(const std::vector<std::string>& phrases) {
  std::vector<std::string> words;
  for (const std::string& phrase : phrases)
    for (std::string& word : words_of(phrase)) words.push_back(std::move(word));
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_mark = std::string_view(".,?!-").find(words[i]) != std::string_view::npos;
    const bool after_hyphen = i > 0 && words[i - 1] == "-";
    if (i > 0 && !is_mark && !after_hyphen) text += ' ';
    text += words[i] == "a" && i + 1 < words.size() ? std::string(indefinite_article(words[i + 1]))
                                                    : words[i];
  }
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = char(text[0] - 'a' + 'A');
  return text;
}

}  // namespace

bool SynchronousGrammar::draw(Random& random, GeneratedSentence& sentence) const {
  const Node root = expand(start_, random);
  Realization words;
  words.add_chinese(root, "");
  words.add_english(root, Form::base, Agreement::third);
  for (const Lexeme* object : words.objects)
    for (const Lexeme* subject : words.subjects)
      if (first_character(object->chinese) == first_character(subject->chinese)) return false;
  std::set<std::string> open;
  for (const Lexeme* lexeme : words.lexemes)
    if (!lexeme->is_closed && !open.insert(lexeme->chinese).second) return false;
  sentence.content_words.clear();
  for (const std::string& word : words.chinese)
    if (open_words_.count(word) && !closed_words_.count(word))
      sentence.content_words.push_back(word);
  sentence.chinese_words = std::move(words.chinese);
  sentence.english = join_english(words.english);
  return true;
}

}  // namespace heed::detail
