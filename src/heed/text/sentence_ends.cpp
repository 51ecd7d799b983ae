#include "heed/text/sentence_ends.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "heed/core/scripts.h"

namespace heed::detail {
namespace {

// Single letters and letters with full stops between them (z. B., e.g., U.S.) need no entry.
constexpr std::string_view kAbbreviations[] = {
    // English
    "mr", "mrs", "ms", "messrs", "dr", "prof", "rev", "hon", "gen", "col", "capt", "cmdr", "lt",
    "sgt", "maj", "adm", "gov", "sen", "rep", "pres", "supt", "st", "mt", "ft", "jr", "esq", "bros",
    "inc", "ltd", "corp", "co", "dept", "univ", "assn", "ave", "blvd", "rd", "approx", "etc", "vs",
    "viz", "cf", "ca", "al", "ed", "eds", "vol", "vols", "ch", "fig", "figs", "eq", "eqs", "sect",
    "tel", "ext", "misc", "ph.d",

    // German
    "hr", "hrn", "nr", "bzw", "usw", "usf", "evtl", "ggf", "vgl", "sog", "inkl", "exkl", "zzgl",
    "abzgl", "bspw", "bzgl", "str", "dipl", "ing", "mio", "mrd", "abb", "kap", "bd", "bde", "hrsg",
    "geb", "gest", "gegr", "jh", "jhd", "jhdt", "resp", "allg", "insb", "insbes", "urspr", "entspr",
    "versch", "ebd", "anm", "aufl", "dt", "engl", "frz", "griech", "kath", "phil", "jur", "stellv",
    "vors", "ungef",
    // French
    "mm", "mme", "mmes", "mlle", "mlles", "mgr", "pr", "ste", "env", "chap", "éd", "coll", "ex",
    "cie", "boul", "janv", "févr", "juil", "déc",
    // Spanish
    "sr", "sra", "sres", "srta", "dra", "dña", "ud", "uds", "vd", "vds", "pág", "págs", "núm", "ej",
    "lic", "gral", "avda", "aprox", "admón", "dpto", "depto", "ee", "uu",

    // Italian
    "sig", "sigg", "dott", "avv", "ecc", "pag", "pagg", "cfr", "ss",
    // Portuguese
    "exmo", "exma", "ltda", "av", "sto",
    // Dutch
    "dhr", "mevr", "mw", "bijv", "enz", "blz", "drs", "ir", "nl", "incl", "excl",
    // Nordic
    "bl", "osv", "dvs", "evt", "jfr", "jf", "kl", "mvh", "t.ex",
    // Polish and Czech
    "np", "tzn", "tzw", "itd", "itp", "ul", "godz", "hab", "inż", "ks", "wyd", "zob", "wg", "např",
    "tzv", "atd", "apod", "tj", "mudr", "rndr", "judr", "phdr", "č",
    // Russian and Ukrainian
    "гг", "вв", "др", "пр", "ул", "им", "тыс", "млн", "млрд", "руб", "коп", "стр", "рис", "табл",
    "илл", "проф", "акад", "доц", "инж", "см", "ср", "напр", "обл", "пос", "просп", "пер", "кв",
    "корп", "тел", "изд", "ред", "соч", "гл", "св", "др-р", "грн", "вул", "пл",
    // Greek
    "κ.λπ", "κλπ", "βλ", "σελ", "αρ", "π.χ",
    // Hindi
    "डॉ", "प्रो", "पं", "श्री", "कु"};

constexpr std::string_view kBeforeNumbers[] = {
    "no",  "nos", "art", "arts", "pp",  "pg",  "sec",  "secs", "par", "abs", "az",  "fol",
    "dec", "mar", "jun", "jul",  "sep", "num", "n°",   "nº",   "ст",  "vv",  "tab", "rn",
    "max", "min", "jan", "feb",  "apr", "aug", "sept", "oct",  "nov", "abr"};

constexpr std::string_view kBeforeOrdinals[] = {
    "am",     "vom",    "zum",    "beim",   "im",    "ab",     "bis",    "der",   "die",   "das",
    "dem",    "den",    "des",    "ein",    "eine",  "einen",  "einem",  "einer", "eines", "sein",
    "seine",  "seinen", "seinem", "seiner", "ihr",   "ihre",   "ihren",  "ihrem", "ihrer", "unser",
    "unsere", "mein",   "meine",  "dieser", "diese", "dieses", "diesem", "jeder", "jede",  "jedes",
    "jedem",  "ins",    "und",    "nach",   "seit",  "kein",   "keine"};

constexpr std::string_view kAfterOrdinals[] = {
    "januar",      "jänner",    "februar",    "märz",        "april",
    "mai",         "juni",      "juli",       "august",      "september",
    "oktober",     "november",  "dezember",   "jahrhundert", "jahrhunderts",
    "jahrtausend", "weltkrieg", "weltkriegs", "weltkrieges"};

// A few hundred comparisons of short words for a full stop before a capital letter.
template <size_t count>
bool contains(const std::string_view (&words)[count], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

}  // namespace

Mark mark_of(char32_t character, char32_t before) {
  constexpr std::pair<std::u32string_view, Mark> kMarks[] = {
      {U".\u06D4", Mark::full_stop},
      {U"…⋯", Mark::ellipsis},
      // The Arabic one; two marks in one character; Hebrew sof pasuq; the Greek one.
      {U"!?\u061F\u203C\u2047\u2048\u2049\u05C3\u037E", Mark::question},
      {U"！？\u1367", Mark::wide_question},  // and Ethiopic
      // Chinese and Japanese; Armenian; the dandas of India; Tibetan; Myanmar; Ethiopic; Khmer;
      // Mongolian.
      {U"。｡\u0589\u0964\u0965\u0F0E\u104B\u1362\u1368\u17D4\u17D5\u1803\u1809", Mark::wide_stop},
  };
  for (const auto& [characters, mark] : kMarks)
    if (characters.find(character) != characters.npos) return mark;
  const auto is_after = [&](Script script) { return script_of(before) == script; };
  // The Greek question mark as it is written today.
  if (character == U';' && is_after(Script::greek)) return Mark::question;
  // It is also in full-width numbers and names.
  if (character == U'．' && (is_after(Script::han) || is_after(Script::kana)))
    return Mark::wide_stop;
  return Mark::none;
}

bool is_abbreviation(std::string_view word) {
  return contains(kAbbreviations, word);
}

bool is_abbreviation_before_number(std::string_view word) {
  return contains(kBeforeNumbers, word);
}

bool precedes_ordinal(std::string_view word) {
  return contains(kBeforeOrdinals, word);
}

bool follows_ordinal(std::string_view word) {
  return contains(kAfterOrdinals, word);
}

}  // namespace heed::detail
