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

const SynchronousGrammar::Node& SynchronousGrammar::head_node(const Node& node) {
  if (node.lexeme) return node;
  for (const Token& token : node.rule->english)
    if (token.part >= 0 && is_number_form(token.form)) return head_node(node.parts[token.part]);
  return head_node(node.parts.front());
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

struct SynchronousGrammar::Origin {
  enum class Kind { own, measure, article };  // of a node: its words, or those that count it

  const Node* node = nullptr;  // null: the word has no counterpart
  Kind kind = Kind::own;

  bool operator==(const Origin&) const = default;
};

struct SynchronousGrammar::Word {
  std::string text;
  Origin origin;
};

// The words of a derivation on both sides.
struct SynchronousGrammar::Realization {
  using Kind = Origin::Kind;
  std::vector<Word> chinese, english;
  std::vector<const Lexeme*> lexemes, objects, subjects;

  void add_chinese(const Node& node, const std::string& aspect) {
    if (node.lexeme) {
      chinese.push_back({node.lexeme->chinese, {&node}});
      lexemes.push_back(node.lexeme);
      return;
    }
    for (const Token& token : node.rule->chinese) {
      if (token.part < 0) {
        if (token.literal != "*")
          chinese.push_back(
              {token.literal, {&node, token.literal == "一" ? Kind::article : Kind::own}});
        else if (!aspect.empty())
          chinese.push_back({aspect, {}});
      } else if (token.is_measure) {
        const Node& counted = head_node(node.parts[token.part]);
        chinese.push_back({counted.lexeme->measure, {&counted, Kind::measure}});
      } else {
        add_chinese(node.parts[token.part], token.aspect == "*" ? aspect : token.aspect);
      }
    }
  }

  // `asking` is the node whose rule asks for the form.
  void add_english(const Node& node, Form form, Agreement subject, const Node& asking) {
    if (is_agreeing_form(form)) {
      english.push_back({agreeing_word(form, agreement(node)), {&asking}});
    } else if (node.lexeme) {
      if (node.lexeme->is_person && form == Form::object) objects.push_back(node.lexeme);
      if (node.lexeme->is_person && form == Form::base) subjects.push_back(node.lexeme);
      if (form == Form::present) form = subject == Agreement::third ? Form::third : Form::base;
      add_phrase(node, form, asking);
    } else {
      add_english_of_rule(node, form, subject, asking);
    }
  }

  // The words of a lexeme: an article and a container stand before a noun.
  void add_phrase(const Node& node, Form form, const Node& asking) {
    const WordForms& forms = node.lexeme->english;
    const std::vector<std::string> words = words_of(forms[std::size_t(form)]);
    const std::size_t own =
        node.lexeme->is_noun ? words_of(forms[std::size_t(Form::bare)]).size() : words.size();
    for (std::size_t i = 0; i < words.size(); ++i) {
      Origin origin{&node};
      if (i == 0 && form == Form::article && node.lexeme->is_noun)
        origin = {&asking, Kind::article};
      else if (i + own < words.size())
        origin.kind = Kind::measure;
      english.push_back({words[i], origin});
    }
  }

  void add_english_of_rule(const Node& node, Form form, Agreement subject, const Node& asking) {
    bool inherits = false;
    for (const Token& token : node.rule->english) {
      if (token.part < 0) {
        english.push_back({token.literal, {&node}});
        continue;
      }
      const Node& part = node.parts[token.part];
      inherits |= token.form == Form::inherited;
      const Agreement with =
          token.agrees_with >= 0 ? agreement(node.parts[token.agrees_with]) : subject;
      Form asked = token.form == Form::inherited ? form : token.form;
      if (asked == Form::article && token.agrees_with >= 0 && with == Agreement::plural)
        asked = Form::plural;
      add_english(part, asked, with, token.form == Form::inherited ? asking : node);
    }
    if (!inherits && form == Form::possessive)
      english.back().text = possessive_of(english.back().text, agreement(node));
  }
};

// Words to a sentence: spaces, articles, marks at the word before, a capital at the start. `places`
// gets the number of spaces before each word.
std::string SynchronousGrammar::join_english(const std::vector<Word>& words,
                                             std::vector<std::size_t>& places) {
  std::string text;
  std::size_t spaces = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i].text;
    const bool is_mark = std::string_view(".,?!-").find(word) != std::string_view::npos;
    const bool after_hyphen = i > 0 && words[i - 1].text == "-";
    if (i > 0 && !is_mark && !after_hyphen) {
      text += ' ';
      ++spaces;
    }
    text += word == "a" && i + 1 < words.size() ? std::string(indefinite_article(words[i + 1].text))
                                                : word;
    places.push_back(spaces);
  }
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = char(text[0] - 'a' + 'A');
  return text;
}

bool SynchronousGrammar::draw(Random& random, GeneratedSentence& sentence) const {
  const Node root = expand(start_, random);
  Realization words;
  words.add_chinese(root, "");
  words.add_english(root, Form::base, Agreement::third, root);
  for (const Lexeme* object : words.objects)
    for (const Lexeme* subject : words.subjects)
      if (first_character(object->chinese) == first_character(subject->chinese)) return false;
  std::set<std::string> open;
  for (const Lexeme* lexeme : words.lexemes)
    if (!lexeme->is_closed && !open.insert(lexeme->chinese).second) return false;
  sentence = {};
  std::vector<std::size_t> places;
  sentence.english = join_english(words.english, places);
  for (std::size_t i = 0; i < words.chinese.size(); ++i) {
    const auto& [word, origin] = words.chinese[i];
    if (open_words_.count(word) && !closed_words_.count(word))
      sentence.content_words.push_back(word);
    for (std::size_t j = 0; j < words.english.size(); ++j)
      if (origin.node && origin == words.english[j].origin)
        sentence.links.push_back({i, places[j]});
    sentence.chinese_words.push_back(word);
  }
  return true;
}

}  // namespace heed::detail
