#include "heed/phrasebook/synchronous_grammar.h"

#include <algorithm>
#include <regex>
#include <set>
#include <tuple>
#include <utility>

#include "heed/core/error.h"

namespace heed::detail {
namespace {

using Lexeme = SynchronousGrammar::Lexeme;
using Token = SynchronousGrammar::Token;
using Rule = SynchronousGrammar::Rule;
using Category = SynchronousGrammar::Category;

constexpr std::string_view kParameter = "X", kInherited = "*";

// Whether a form tells the number of a phrase.
bool is_number_form(std::string_view form) {
  constexpr std::string_view kForms[] = {kInherited, "sg", "pl", "a", "gen", "bare"};
  return std::find(std::begin(kForms), std::end(kForms), form) != std::end(kForms);
}

// A derivation: a word, or a rule and its parts.
struct Node {
  const Lexeme* lexeme = nullptr;
  const Rule* rule = nullptr;
  std::vector<Node> parts;
};

Node expand(const Category& category, Random& random) {
  if (!category.lexemes.empty())
    return {&category.lexemes[random.below(category.lexemes.size())], nullptr, {}};
  int ticket = int(random.below(uint64_t(category.weight)));
  auto rule = category.rules.begin();
  for (; ticket >= rule->weight; ++rule) ticket -= rule->weight;
  Node node{nullptr, &*rule, {}};
  for (const Category* part : rule->parts) node.parts.push_back(expand(*part, random));
  return node;
}

const Token* number_token(const Node& node) {
  for (const Token& token : node.rule->english)
    if (token.part >= 0 && is_number_form(token.form)) return &token;
  return nullptr;
}

const Node& head_of(const Node& node) {
  if (node.lexeme) return node;
  const Token* token = number_token(node);
  return head_of(token ? node.parts[size_t(token->part)] : node.parts.front());
}

Agreement agreement(const Node& node) {
  if (node.lexeme) return node.lexeme->agreement;
  const Token* token = number_token(node);
  if (!token) return Agreement::third;
  const Node& part = node.parts[size_t(token->part)];
  if (token->form == kInherited) return agreement(part);
  if (token->form == "pl") return Agreement::plural;
  if (token->form == "a" || token->form == "sg") return Agreement::third;
  const WordForms& forms = head_of(part).lexeme->english;
  const std::string& word = form_of(forms, token->form);
  // "Some apples", "my jeans", "some noodles": unlike the form that counts them, and in -s.
  const bool is_plural = word.back() == 's' && word != form_of(forms, "sg");
  const bool is_irregular = token->form == "gen" && word == form_of(forms, "pl");
  return is_plural || is_irregular ? Agreement::plural : Agreement::third;
}

// The part of a derivation that a word expresses.
struct Origin {
  enum class Kind { own, measure, article };  // of a node: its words, or those that count it

  const Node* node = nullptr;  // null: the word has no counterpart
  Kind kind = Kind::own;

  bool operator==(const Origin&) const = default;
};

struct Word {
  std::string text;
  Origin origin;
};

// The words of a derivation on both sides.
struct Realization {
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
      if (token.part >= 0 && token.form == "m") {
        const Node& counted = head_of(node.parts[size_t(token.part)]);
        chinese.push_back({counted.lexeme->measure, {&counted, Kind::measure}});
      } else if (token.part >= 0) {
        add_chinese(node.parts[size_t(token.part)], token.aspect == "*" ? aspect : token.aspect);
      } else if (token.literal != "*") {
        const Kind kind = token.literal == "一" ? Kind::article : Kind::own;
        chinese.push_back({token.literal, {&node, kind}});
      } else if (!aspect.empty()) {
        chinese.push_back({aspect, {}});
      }
    }
  }

  // `asking` is the node whose rule asks for the form.
  void add_english(const Node& node, const std::string& form, Agreement subject,
                   const Node& asking) {
    if (const auto word = agreeing_word(form, agreement(node)); !word.empty()) {
      english.push_back({std::string(word), {&asking}});
    } else if (node.lexeme) {
      if (node.lexeme->is_person && form == "obj") objects.push_back(node.lexeme);
      if (node.lexeme->is_person && form == "base") subjects.push_back(node.lexeme);
      const bool is_third = form == "present" && subject == Agreement::third;
      add_word(node, is_third ? "third" : form, asking);
    } else {
      add_english_of_rule(node, form, subject, asking);
    }
  }

  // The words of a lexeme: an article and a container stand before a noun.
  void add_word(const Node& node, const std::string& form, const Node& asking) {
    const WordForms& forms = node.lexeme->english;
    const std::vector<std::string> words = words_of(form_of(forms, form));
    const size_t own =
        node.lexeme->is_noun ? words_of(form_of(forms, "bare")).size() : words.size();
    for (size_t i = 0; i < words.size(); ++i) {
      Origin origin{&node};
      if (i == 0 && form == "a" && node.lexeme->is_noun)
        origin = {&asking, Kind::article};
      else if (i + own < words.size())
        origin.kind = Kind::measure;
      english.push_back({words[i], origin});
    }
  }

  void add_english_of_rule(const Node& node, const std::string& form, Agreement subject,
                           const Node& asking) {
    bool inherits = false;
    for (const Token& token : node.rule->english) {
      if (token.part < 0) {
        english.push_back({token.literal, {&node}});
        continue;
      }
      const bool inherited = token.form == kInherited;
      inherits |= inherited;
      const Agreement with =
          token.agrees_with >= 0 ? agreement(node.parts[size_t(token.agrees_with)]) : subject;
      const bool is_plural =
          token.form == "a" && token.agrees_with >= 0 && with == Agreement::plural;
      add_english(node.parts[size_t(token.part)],
                  inherited   ? form
                  : is_plural ? "pl"
                              : token.form,
                  with, inherited ? asking : node);
    }
    if (!inherits && form == "poss")
      english.back().text = possessive_of(english.back().text, agreement(node));
  }

  // Whether the derivation is unnatural: it has a person as subject and object ("I" and "us", or a
  // name), or a word of an open class twice.
  bool is_odd() const {
    for (const Lexeme* object : objects)
      for (const Lexeme* subject : subjects)
        if (object->chinese.substr(0, 3) == subject->chinese.substr(0, 3)) return true;
    std::set<std::string> open;
    return std::ranges::any_of(lexemes, [&](const Lexeme* lexeme) {
      return !lexeme->is_closed && !open.insert(lexeme->chinese).second;
    });
  }
};

// Words to a sentence: spaces, articles, marks at the word before, a capital at the start. `places`
// gets the number of spaces before each word.
std::string join_english(const std::vector<Word>& words, std::vector<int32_t>& places) {
  std::string text;
  int32_t spaces = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i].text;
    const bool is_mark = std::string_view(".,?!-").find(word) != std::string_view::npos;
    const bool after_hyphen = i > 0 && words[i - 1].text == "-";
    if (i > 0 && !is_mark && !after_hyphen) {
      text += ' ';
      ++spaces;
    }
    if (word == "a" && i + 1 < words.size())
      text += indefinite_article(words[i + 1].text);
    else
      text += word;
    places.push_back(spaces);
  }
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = char(text[0] - 'a' + 'A');
  return text;
}

SentencePair to_pair(const Realization& words) {
  SentencePair pair;
  std::vector<int32_t> places;
  pair.english = join_english(words.english, places);
  int32_t begin = 0, end = 0;  // of a word, in characters
  for (const auto& [word, origin] : words.chinese) {
    end += int32_t(std::ranges::count_if(word, [](char byte) { return (byte & 0xC0) != 0x80; }));
    for (size_t i = 0; i < places.size(); ++i)
      if (origin.node && origin == words.english[i].origin)
        for (int32_t at = begin; at < end; ++at) pair.alignment.push_back({at, places[i]});
    pair.chinese += word;
    pair.chinese_words += (begin == 0 ? "" : " ") + word;
    begin = end;
  }
  std::ranges::sort(pair.alignment, {}, [](const CharacterLink& link) {
    return std::tuple(link.english, link.chinese);
  });
  // An English word may have two parts of one origin, as its mark.
  pair.alignment.erase(std::unique(pair.alignment.begin(), pair.alignment.end()),
                       pair.alignment.end());
  return pair;
}

// A part of a rule, "{Category2[Argument].form~Other+aspect}".
struct Part {
  std::string key, category, form, agrees_with, aspect;

  Part(const std::string& token, const std::string& argument) {
    static const std::regex kForm(
        R"(\{(([A-Za-z]+)\d*)(?:\[(\w+)\])?(?:\.([\w*]+))?(?:~(\w+))?(?:\+(.+))?\})");
    std::smatch found;
    check(std::regex_match(token, found, kForm), "a phrasebook rule has a part of no known form");
    const auto named = [&](const std::string& name) {
      return name == kParameter ? argument : name;
    };
    key = found[1];
    category = named(found[2]) + (found[3].matched ? "[" + named(found[3]) + "]" : "");
    form = found[4];
    agrees_with = found[5];
    aspect = found[6];
  }
};

}  // namespace

SynchronousGrammar::SynchronousGrammar() {
  read_lexicon(kPhrasebookLexicon);
  for (const char* text : {kPhrasebookPhrases, kPhrasebookSentences}) read_rules(text);
  start_ = category("S");
  check(start_ != nullptr, "the phrasebook's grammar lacks its start category");
}

void SynchronousGrammar::read_lexicon(std::string_view text) {
  std::vector<std::string> header;  // category, kind, perhaps "closed"
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with('@')) {
      header = words_of(line.substr(1));
      continue;
    }
    for (const std::string& entry : split(line, ';')) {
      std::vector<std::string> fields = words_of(entry);
      if (fields.empty()) continue;
      fields.resize(4);
      Lexeme lexeme;
      lexeme.chinese = fields[0];
      lexeme.is_noun = header[1] == "noun";
      lexeme.is_person = header[1] == "person";
      lexeme.is_closed = header.size() > 2;
      if (lexeme.is_noun) lexeme.measure = fields[1];
      if (lexeme.is_person) lexeme.agreement = parse_agreement(fields[2]);
      lexeme.english = word_forms(header[1], fields[lexeme.is_noun ? 2 : 1], fields[3]);
      bool& is_open = is_open_.emplace(lexeme.chinese, true).first->second;
      is_open = is_open && !lexeme.is_closed;
      categories_[header[0]].lexemes.push_back(std::move(lexeme));
    }
  }
}

void SynchronousGrammar::read_rules(std::string_view text) {
  std::vector<std::string> names;  // of the categories that the following rules belong to
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) continue;
    if (line.starts_with('@')) {
      const std::string base = line.substr(1, line.find('[') - 1);
      names = {base};
      if (base.size() + 1 == line.size()) continue;
      names = split(line.substr(base.size() + 2, line.size() - base.size() - 3), ',');
      for (std::string& name : names) name = fmt::format("{}[{}]", base, name);
      continue;
    }
    const std::string weights = line.substr(0, line.find(' '));
    for (const std::string& item : split(weights, ',')) {
      const size_t times = std::min(item.find('*'), item.size());
      const std::string argument = times < item.size() ? item.substr(times + 1) : "";
      const std::string rule = item.substr(0, times) + line.substr(weights.size());
      for (const std::string& name : names) rule_texts_[name].emplace_back(rule, argument);
    }
  }
}

const Category* SynchronousGrammar::category(const std::string& name) {
  const auto known = categories_.find(name);
  if (known == categories_.end()) {
    auto rules = rule_texts_.find(name);
    std::string argument;
    if (const size_t bracket = name.find('['); bracket != name.npos) {
      argument = name.substr(bracket + 1, name.size() - bracket - 2);
      if (rules == rule_texts_.end()) rules = rule_texts_.find(name.substr(0, bracket) + "[X]");
    }
    Category& fresh = categories_[name];
    if (rules != rule_texts_.end())
      for (const auto& [text, own] : rules->second)
        add_rule(text, own.empty() ? argument : own, fresh);
  }
  const Category& found = categories_[name];
  return found.lexemes.empty() && found.rules.empty() ? nullptr : &found;
}

void SynchronousGrammar::add_rule(const std::string& text, const std::string& argument,
                                  Category& category) {
  const std::vector<std::string> words = words_of(text);
  Rule rule;
  rule.weight = std::stoi(words.at(0));
  std::map<std::string, int> part_of_key;
  const auto part_named = [&](const std::string& key) {
    const auto found = part_of_key.find(key);
    check(found != part_of_key.end(), ("a phrasebook rule lacks a part: " + text).c_str());
    return found->second;
  };
  std::vector<Token>* side = &rule.chinese;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "||") {
      side = &rule.english;
      continue;
    }
    Token& token = side->emplace_back();
    token.literal = words[i];
    if (words[i][0] != '{') continue;
    const Part part(words[i], argument);
    const bool is_english = side == &rule.english;
    if (!is_english && part_of_key.emplace(part.key, int(rule.parts.size())).second) {
      rule.parts.push_back(this->category(part.category));
      // Only a category with an argument may be missing.
      check(rule.parts.back() || part.category.find('[') != std::string::npos,
            ("a phrasebook rule lacks a category: " + text).c_str());
      if (!rule.parts.back()) return;
    }
    token.part = part_named(part.key);
    token.aspect = part.aspect;
    token.form = part.form;
    if (!part.agrees_with.empty()) token.agrees_with = part_named(part.agrees_with);
    if (token.form.empty()) token.form = token.agrees_with >= 0 ? "present" : "base";
    check(!is_english || is_form(token.form), "a phrasebook rule names a form that does not exist");
  }
  check(!rule.english.empty(), "a phrasebook rule lacks its English side");
  category.weight += rule.weight;
  category.rules.push_back(std::move(rule));
}

bool SynchronousGrammar::draw(Random& random, SentencePair& pair,
                              std::vector<std::string>& content_words) const {
  const Node root = expand(*start_, random);
  Realization words;
  words.add_chinese(root, "");
  words.add_english(root, "base", Agreement::third, root);
  if (words.is_odd()) return false;
  pair = to_pair(words);
  content_words.clear();
  for (const Word& word : words.chinese)
    if (const auto found = is_open_.find(word.text); found != is_open_.end() && found->second)
      content_words.push_back(word.text);
  return true;
}

}  // namespace heed::detail
