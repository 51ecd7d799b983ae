#include "heed/phrasebook/english_morphology.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "heed/core/error.h"

namespace heed::detail {
namespace {

bool is_vowel(char letter) {
  return std::string_view("aeiouAEIOU").find(letter) != std::string_view::npos;
}

bool ends_in_consonant_y(const std::string& word) {
  return word.size() > 1 && word.back() == 'y' && !is_vowel(word[word.size() - 2]);
}

// The regular -s of plurals and of the third person.
std::string add_s(const std::string& word) {
  if (word == "have") return "has";
  if (ends_in_consonant_y(word)) return word.substr(0, word.size() - 1) + "ies";
  for (const char* hiss : {"s", "x", "z", "ch", "sh"})
    if (std::string_view(word).ends_with(hiss)) return word + "es";
  return word == "go" || word == "do" ? word + "es" : word + "s";
}

std::string add_ed(const std::string& word) {
  if (word.back() == 'e') return word + "d";
  return ends_in_consonant_y(word) ? word.substr(0, word.size() - 1) + "ied" : word + "ed";
}

std::string add_ing(const std::string& word) {
  const bool silent_e = word.back() == 'e' && !std::string_view(word).ends_with("ee");
  return (silent_e ? word.substr(0, word.size() - 1) : word) + "ing";
}

// Short words and those in -y take -er and -est, the others more and most.
bool takes_er(const std::string& word) {
  return word.size() <= 6 || ends_in_consonant_y(word);
}

std::string add_er(const std::string& word, const char* ending) {
  if (word.back() == 'e') return word + (ending + 1);
  return (ends_in_consonant_y(word) ? word.substr(0, word.size() - 1) + "i" : word) + ending;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts{""};
  for (const char letter : text) {
    if (letter == separator)
      parts.emplace_back();
    else
      parts.back() += letter;
  }
  return parts;
}

std::string with_spaces(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

WordForms all(const std::string& text) {
  WordForms forms;
  forms.fill(text);
  return forms;
}

std::string& at(WordForms& forms, Form form) {
  return forms[std::size_t(form)];
}

}  // namespace

Form parse_form(std::string_view name) {
  constexpr std::pair<std::string_view, Form> names[] = {
      {"base", Form::base},       {"past", Form::past},       {"en", Form::participle},
      {"ing", Form::gerund},      {"sg", Form::singular},     {"pl", Form::plural},
      {"a", Form::article},       {"gen", Form::generic},     {"bare", Form::bare},
      {"er", Form::comparative},  {"est", Form::superlative}, {"obj", Form::object},
      {"poss", Form::possessive}, {"be", Form::be},           {"was", Form::was},
      {"do", Form::do_},          {"dont", Form::dont},       {"has", Form::has},
      {"want", Form::want},       {"live", Form::live},       {"know", Form::know},
      {"*", Form::inherited},
  };
  const auto* found = std::find_if(std::begin(names), std::end(names),
                                   [&](const auto& entry) { return entry.first == name; });
  check(found != std::end(names), "a phrasebook rule names a form that does not exist");
  return found->second;
}

Agreement parse_agreement(std::string_view name) {
  if (name == "first") return Agreement::first;
  if (name == "second") return Agreement::second;
  if (name == "plural") return Agreement::plural;
  check(name == "third", "a phrasebook word agrees in no known way");
  return Agreement::third;
}

WordForms verb_forms(std::string_view field) {
  const std::size_t underscore = field.find('_');
  const std::string rest = underscore == std::string_view::npos
                               ? ""
                               : with_spaces(std::string(field.substr(underscore)));
  const std::vector<std::string> given = split(field.substr(0, underscore), '>');
  const std::string& base = given[0];
  const std::string past = given.size() > 1 ? given[1] : add_ed(base);
  WordForms forms = all(base + rest);
  at(forms, Form::past) = past + rest;
  at(forms, Form::participle) = (given.size() > 2 ? given[2] : past) + rest;
  at(forms, Form::gerund) = (given.size() > 3 ? given[3] : add_ing(base)) + rest;
  at(forms, Form::third) = add_s(base) + rest;
  return forms;
}

WordForms adjective_forms(std::string_view field) {
  const std::vector<std::string> given = split(field, '>');
  const std::string& base = given[0];
  WordForms forms = all(with_spaces(base));
  const bool short_word = takes_er(base);
  at(forms, Form::comparative) = given.size() > 1 ? with_spaces(given[1])
                                 : short_word     ? add_er(base, "er")
                                                  : "more " + base;
  at(forms, Form::superlative) = given.size() > 2 ? with_spaces(given[2])
                                 : short_word     ? add_er(base, "est")
                                                  : "most " + base;
  return forms;
}

WordForms person_forms(std::string_view field) {
  const std::vector<std::string> given = split(with_spaces(std::string(field)), '>');
  WordForms forms = all(given[0]);
  at(forms, Form::object) = given.size() > 1 ? given[1] : given[0];
  at(forms, Form::possessive) =
      given.size() > 2 ? given[2] : possessive_of(given[0], Agreement::third);
  return forms;
}

WordForms plain_forms(std::string_view field) {
  return all(with_spaces(std::string(field)));
}

WordForms noun_forms(std::string_view field, std::string_view container) {
  const std::vector<std::string> given = split(with_spaces(std::string(field)), '>');
  const std::string& noun = given[0];
  const std::string unit(container);
  const std::string singular = unit.empty() ? noun : unit + " of " + noun;
  WordForms forms = all(singular);
  at(forms, Form::plural) = given.size() > 1 ? given[1]
                            : unit.empty()   ? add_s(noun)
                                             : add_s(unit) + " of " + noun;
  at(forms, Form::article) = "a " + singular;
  at(forms, Form::generic) = unit.empty() ? at(forms, Form::plural) : noun;
  at(forms, Form::bare) = noun;
  at(forms, Form::possessive) = possessive_of(singular, Agreement::third);
  return forms;
}

std::string possessive_of(const std::string& phrase, Agreement agreement) {
  return phrase + (agreement == Agreement::plural && phrase.back() == 's' ? "'" : "'s");
}

std::string agreeing_word(Form form, Agreement agreement) {
  const bool third = agreement == Agreement::third;
  const bool first = agreement == Agreement::first;
  switch (form) {
    case Form::be:
      return third ? "is" : first ? "am" : "are";
    case Form::was:
      return third || first ? "was" : "were";
    case Form::do_:
      return third ? "does" : "do";
    case Form::dont:
      return third ? "doesn't" : "don't";
    case Form::has:
      return third ? "has" : "have";
    case Form::want:
      return third ? "wants" : "want";
    case Form::live:
      return third ? "lives" : "live";
    case Form::know:
      return third ? "knows" : "know";
    default:
      check(false, "this form does not agree with a subject");
      return {};
  }
}

std::string_view indefinite_article(std::string_view next) {
  for (const char* start : {"hour", "honest"})
    if (next.starts_with(start)) return "an";
  for (const char* start : {"uni", "use", "one"})
    if (next.starts_with(start)) return "a";
  return !next.empty() && is_vowel(next[0]) ? "an" : "a";
}

}  // namespace heed::detail
