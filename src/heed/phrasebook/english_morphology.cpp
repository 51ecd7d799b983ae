#include "heed/phrasebook/english_morphology.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <utility>

#include "heed/core/error.h"

namespace heed::detail {
namespace {

bool is_vowel(char letter) {
  return std::string_view("aeiouAEIOU").find(letter) != std::string_view::npos;
}

bool ends_in_consonant_y(const std::string& word) {
  return word.size() > 1 && word.back() == 'y' && !is_vowel(word[word.size() - 2]);
}

// The word before an ending, with `instead` in the place of a y after a consonant.
std::string with_ending(const std::string& word, const char* ending, const std::string& instead) {
  return ends_in_consonant_y(word) ? word.substr(0, word.size() - 1) + instead : word + ending;
}

// The regular -s of plurals and of the third person.
std::string add_s(const std::string& word) {
  if (word == "have") return "has";
  for (const char* hiss : {"s", "x", "z", "ch", "sh"})
    if (std::string_view(word).ends_with(hiss)) return word + "es";
  return with_ending(word, word == "go" || word == "do" ? "es" : "s", "ies");
}

std::string add_ed(const std::string& word) {
  return with_ending(word, word.back() == 'e' ? "d" : "ed", "ied");
}

std::string add_ing(const std::string& word) {
  const bool silent_e = word.back() == 'e' && !std::string_view(word).ends_with("ee");
  return (silent_e ? word.substr(0, word.size() - 1) : word) + "ing";
}

// Short words and those in -y take -er and -est, the others more and most.
std::string compared(const std::string& word, const char* more, const char* ending) {
  if (word.size() > 6 && !ends_in_consonant_y(word)) return more + word;
  return with_ending(word, word.back() == 'e' ? ending + 1 : ending, std::string("i") + ending);
}

std::string with_spaces(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '_', ' ');
  return spaced;
}

// The words that agree with a phrase, by Agreement.
constexpr std::pair<std::string_view, std::array<std::string_view, 4>> kAgreeing[] = {
    {"be", {"am", "are", "is", "are"}},          {"was", {"was", "were", "was", "were"}},
    {"do", {"do", "do", "does", "do"}},          {"dont", {"don't", "don't", "doesn't", "don't"}},
    {"has", {"have", "have", "has", "have"}},    {"want", {"want", "want", "wants", "want"}},
    {"live", {"live", "live", "lives", "live"}}, {"know", {"know", "know", "knows", "know"}},
};

}  // namespace

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

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

Agreement parse_agreement(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"first", "second", "third", "plural"};
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  check(found != kNames.end(), "a phrasebook word agrees in no known way");
  return Agreement(found - kNames.begin());
}

const std::string& form_of(const WordForms& forms, std::string_view name) {
  const auto found = forms.find(name);
  return found == forms.end() ? forms.find("base")->second : found->second;
}

WordForms word_forms(std::string_view kind, std::string_view field, const std::string& container) {
  // The first word of a verb is inflected.
  const size_t inflected = kind == "verb" ? std::min(field.find('_'), field.size()) : field.size();
  const std::string rest = with_spaces(field.substr(inflected));
  const std::vector<std::string> given = split(with_spaces(field.substr(0, inflected)), '>');
  const auto given_or = [&](size_t i, const std::string& regular) {
    return i < given.size() ? given[i] : regular;
  };
  const std::string& base = given[0];
  if (kind == "verb") {
    const std::string past = given_or(1, add_ed(base));
    return {{"base", base + rest},
            {"past", past + rest},
            {"en", given_or(2, past) + rest},
            {"ing", given_or(3, add_ing(base)) + rest},
            {"third", add_s(base) + rest}};
  }
  if (kind == "adjective")
    return {{"base", base},
            {"er", given_or(1, compared(base, "more ", "er"))},
            {"est", given_or(2, compared(base, "most ", "est"))}};
  if (kind == "person")
    return {{"base", base},
            {"obj", given_or(1, base)},
            {"poss", given_or(2, possessive_of(base, Agreement::third))}};
  if (kind != "noun") return {{"base", base}};
  const bool is_mass = !container.empty();
  const std::string singular = is_mass ? container + " of " + base : base;
  const std::string plural = given_or(1, is_mass ? add_s(container) + " of " + base : add_s(base));
  return {{"base", singular},     {"pl", plural},
          {"a", "a " + singular}, {"gen", is_mass ? base : plural},
          {"bare", base},         {"poss", possessive_of(singular, Agreement::third)}};
}

bool is_form(std::string_view name) {
  constexpr std::array<std::string_view, 15> kForms = {"base", "past", "en",  "ing",  "present",
                                                       "sg",   "pl",   "a",   "gen",  "bare",
                                                       "er",   "est",  "obj", "poss", "*"};
  return std::find(kForms.begin(), kForms.end(), name) != kForms.end() ||
         !agreeing_word(name, Agreement::third).empty();
}

std::string possessive_of(const std::string& phrase, Agreement agreement) {
  return phrase + (agreement == Agreement::plural && phrase.back() == 's' ? "'" : "'s");
}

std::string_view agreeing_word(std::string_view form, Agreement agreement) {
  for (const auto& [name, words] : kAgreeing)
    if (name == form) return words[size_t(agreement)];
  return {};
}

std::string_view indefinite_article(std::string_view next) {
  for (const char* start : {"hour", "honest"})
    if (next.starts_with(start)) return "an";
  for (const char* start : {"uni", "use", "one"})
    if (next.starts_with(start)) return "a";
  return !next.empty() && is_vowel(next[0]) ? "an" : "a";
}

}  // namespace heed::detail
