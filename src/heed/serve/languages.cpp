#include "heed/serve/languages.h"

#include <algorithm>
#include <array>
#include <utility>

#include "heed/core/ascii.h"

namespace heed {
namespace {

// clang-format off
constexpr LanguageFacts kLanguages[] = {
    {"af", "afr", "Afrikaans", Script::latin},
    {"am", "amh", "Amharic", Script::ethiopic},
    {"ar", "ara", "Arabic", Script::arabic},
    {"az", "aze", "Azerbaijani", Script::latin},
    {"be", "bel", "Belarusian", Script::cyrillic},
    {"bg", "bul", "Bulgarian", Script::cyrillic},
    {"bn", "ben", "Bengali", Script::indic},
    {"bo", "bod", "Tibetan", Script::tibetan},
    {"bs", "bos", "Bosnian", Script::latin},
    {"ca", "cat", "Catalan", Script::latin},
    {"ceb", "", "Cebuano", Script::latin},
    {"co", "cos", "Corsican", Script::latin},
    {"cs", "ces", "Czech", Script::latin},
    {"cy", "cym", "Welsh", Script::latin},
    {"da", "dan", "Danish", Script::latin},
    {"de", "deu", "German", Script::latin},
    {"el", "ell", "Greek", Script::greek},
    {"en", "eng", "English", Script::latin},
    {"eo", "epo", "Esperanto", Script::latin},
    {"es", "spa", "Spanish", Script::latin},
    {"et", "est", "Estonian", Script::latin},
    {"eu", "eus", "Basque", Script::latin},
    {"fa", "fas", "Persian", Script::arabic},
    {"fi", "fin", "Finnish", Script::latin},
    {"fo", "fao", "Faroese", Script::latin},
    {"fr", "fra", "French", Script::latin},
    {"fy", "fry", "Frisian", Script::latin},
    {"ga", "gle", "Irish", Script::latin},
    {"gd", "gla", "Scottish Gaelic", Script::latin},
    {"gl", "glg", "Galician", Script::latin},
    {"gu", "guj", "Gujarati", Script::indic},
    {"ha", "hau", "Hausa", Script::latin},
    {"haw", "", "Hawaiian", Script::latin},
    {"he", "heb", "Hebrew", Script::hebrew},
    {"hi", "hin", "Hindi", Script::indic},
    {"hmn", "", "Hmong", Script::latin},
    {"hr", "hrv", "Croatian", Script::latin},
    {"ht", "hat", "Haitian Creole", Script::latin},
    {"hu", "hun", "Hungarian", Script::latin},
    {"hy", "hye", "Armenian", Script::armenian},
    {"id", "ind", "Indonesian", Script::latin},
    {"ig", "ibo", "Igbo", Script::latin},
    {"is", "isl", "Icelandic", Script::latin},
    {"it", "ita", "Italian", Script::latin},
    {"ja", "jpn", "Japanese", Script::kana},
    {"jv", "jav", "Javanese", Script::latin},
    {"ka", "kat", "Georgian", Script::georgian},
    {"kk", "kaz", "Kazakh", Script::cyrillic},
    {"km", "khm", "Khmer", Script::khmer},
    {"kn", "kan", "Kannada", Script::indic},
    {"ko", "kor", "Korean", Script::hangul},
    {"ku", "kur", "Kurdish", Script::latin},
    {"ky", "kir", "Kyrgyz", Script::cyrillic},
    {"la", "lat", "Latin", Script::latin},
    {"lb", "ltz", "Luxembourgish", Script::latin},
    {"lo", "lao", "Lao", Script::lao},
    {"lt", "lit", "Lithuanian", Script::latin},
    {"lv", "lav", "Latvian", Script::latin},
    {"mg", "mlg", "Malagasy", Script::latin},
    {"mi", "mri", "Maori", Script::latin},
    {"mk", "mkd", "Macedonian", Script::cyrillic},
    {"ml", "mal", "Malayalam", Script::indic},
    {"mn", "mon", "Mongolian", Script::cyrillic},
    {"mr", "mar", "Marathi", Script::indic},
    {"ms", "msa", "Malay", Script::latin},
    {"mt", "mlt", "Maltese", Script::latin},
    {"my", "mya", "Burmese", Script::myanmar},
    {"nb", "nob", "Norwegian", Script::latin},
    {"ne", "nep", "Nepali", Script::indic},
    {"nl", "nld", "Dutch", Script::latin},
    {"nn", "nno", "Norwegian Nynorsk", Script::latin},
    {"ny", "nya", "Chichewa", Script::latin},
    {"oc", "oci", "Occitan", Script::latin},
    {"or", "ori", "Odia", Script::indic},
    {"pa", "pan", "Punjabi", Script::indic},
    {"pl", "pol", "Polish", Script::latin},
    {"ps", "pus", "Pashto", Script::arabic},
    {"pt", "por", "Portuguese", Script::latin},
    {"pt-BR", "", "Portuguese (Brazil)", Script::latin},
    {"rm", "roh", "Romansh", Script::latin},
    {"ro", "ron", "Romanian", Script::latin},
    {"ru", "rus", "Russian", Script::cyrillic},
    {"rw", "kin", "Kinyarwanda", Script::latin},
    {"sa", "san", "Sanskrit", Script::indic},
    {"sd", "snd", "Sindhi", Script::arabic},
    {"si", "sin", "Sinhala", Script::indic},
    {"sk", "slk", "Slovak", Script::latin},
    {"sl", "slv", "Slovenian", Script::latin},
    {"sm", "smo", "Samoan", Script::latin},
    {"sn", "sna", "Shona", Script::latin},
    {"so", "som", "Somali", Script::latin},
    {"sq", "sqi", "Albanian", Script::latin},
    {"sr", "srp", "Serbian", Script::cyrillic},
    {"st", "sot", "Sesotho", Script::latin},
    {"su", "sun", "Sundanese", Script::latin},
    {"sv", "swe", "Swedish", Script::latin},
    {"sw", "swa", "Swahili", Script::latin},
    {"ta", "tam", "Tamil", Script::indic},
    {"te", "tel", "Telugu", Script::indic},
    {"tg", "tgk", "Tajik", Script::cyrillic},
    {"th", "tha", "Thai", Script::thai},
    {"ti", "tir", "Tigrinya", Script::ethiopic},
    {"tk", "tuk", "Turkmen", Script::latin},
    {"tl", "tgl", "Filipino", Script::latin},
    {"tr", "tur", "Turkish", Script::latin},
    {"tt", "tat", "Tatar", Script::cyrillic},
    {"ug", "uig", "Uyghur", Script::arabic},
    {"uk", "ukr", "Ukrainian", Script::cyrillic},
    {"ur", "urd", "Urdu", Script::arabic},
    {"uz", "uzb", "Uzbek", Script::latin},
    {"vi", "vie", "Vietnamese", Script::latin},
    {"xh", "xho", "Xhosa", Script::latin},
    {"yi", "yid", "Yiddish", Script::hebrew},
    {"yo", "yor", "Yoruba", Script::latin},
    {"zh", "zho", "Chinese", Script::han},
    {"zh-Hant", "", "Chinese (traditional)", Script::han},
    {"zu", "zul", "Zulu", Script::latin}};

// Other synonyms of codes of the table: of ISO 639-2 and 639-3, of older standards, of cld2 and of
// LibreTranslate.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"arb", "ar"}, {"chi", "zh"}, {"cmn", "zh"}, {"dut", "nl"}, {"fil", "tl"}, {"fre", "fr"},
    {"ger", "de"}, {"in", "id"}, {"iw", "he"}, {"ji", "yi"}, {"jw", "jv"}, {"mo", "ro"},
    {"no", "nb"}, {"nor", "nb"}, {"pb", "pt-BR"}, {"per", "fa"}, {"pes", "fa"}, {"zht", "zh-Hant"},
    {"zt", "zh-Hant"}};
// clang-format on

// Codes of ISO 15924 by Script; that of Han is the code of simplified Chinese.
constexpr std::array<std::string_view, kScripts> kScriptCodes = {
    "Latn", "Grek", "Cyrl", "Armn", "Hebr", "Arab", "Deva", "Thai", "Laoo",
    "Tibt", "Mymr", "Geor", "Ethi", "Khmr", "Mong", "Kore", "Jpan", "Hans"};

// The scripts of languages with Script::indic that are not written in Devanagari.
constexpr std::pair<std::string_view, std::string_view> kIndicScripts[] = {
    {"bn", "Beng"}, {"gu", "Gujr"}, {"kn", "Knda"}, {"ml", "Mlym"}, {"or", "Orya"},
    {"pa", "Guru"}, {"si", "Sinh"}, {"ta", "Taml"}, {"te", "Telu"}};

const LanguageFacts* row_of(std::string_view code) {
  const auto* found = std::ranges::find(kLanguages, code, &LanguageFacts::code);
  return found == std::end(kLanguages) ? nullptr : found;
}

// The row of a language with its script, or with its region, or alone.
const LanguageFacts* row_of(const LanguageTag& tag) {
  for (const std::string& part : {tag.script, tag.region}) {
    if (part.empty()) continue;
    if (const LanguageFacts* row = row_of(tag.language + "-" + part)) return row;
  }
  return row_of(tag.language);
}

// The script of a code, or else the one that its language is mostly written in; empty for an
// unknown language.
std::string_view written_script(const LanguageTag& tag) {
  if (!tag.script.empty()) return tag.script;
  const LanguageFacts* row = row_of(tag.language);
  if (!row) return {};
  for (const auto& [language, script] : kIndicScripts)
    if (language == tag.language) return script;
  return kScriptCodes[size_t(row->script)];
}

bool is_letters(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
}

// Sets the language, and the script that a synonym implies: "zt" is Chinese in traditional
// characters.
void set_language(LanguageTag& tag, std::string_view code) {
  for (const LanguageFacts& row : kLanguages)
    if (!code.empty() && row.iso3 == code) code = row.code;
  for (const auto& [synonym, meant] : kSynonyms)
    if (synonym == code) code = meant;
  const size_t end = code.find('-');
  tag.language = code.substr(0, end);
  if (end == code.npos) return;
  const std::string_view part = code.substr(end + 1);
  (part.size() == 4 ? tag.script : tag.region) = part;
}

// A subtag after the first, in lower case.
void add_subtag(LanguageTag& tag, std::string_view subtag) {
  const bool chinese = tag == LanguageTag{.language = "zh", .script = {}, .region = {}, .rest = {}};
  if (chinese && subtag.size() == 3 && is_letters(subtag)) {  // "zh-cmn", "zh-yue"
    set_language(tag, subtag);
  } else if (subtag.size() == 4 && is_letters(subtag) && tag.region.empty() && tag.rest.empty()) {
    tag.script = subtag;
    tag.script[0] = char(tag.script[0] - 'a' + 'A');
  } else if (((subtag.size() == 2 && is_letters(subtag)) ||
              (subtag.size() == 3 && is_digits(subtag))) &&
             tag.rest.empty()) {
    tag.region = subtag;
    for (char& c : tag.region) c = c >= 'a' ? char(c - 'a' + 'A') : c;
  } else {
    (tag.rest += tag.rest.empty() ? "" : "-") += subtag;
  }
}

}  // namespace

LanguageTag parse_language(std::string_view code) {
  std::string lower = lower_ascii(code);
  std::ranges::replace(lower, '_', '-');
  LanguageTag tag;
  std::string_view left = lower;
  set_language(tag, take_element(left, '-'));
  while (!left.empty()) add_subtag(tag, take_element(left, '-'));
  // Some regions of Chinese imply a script.
  if (tag.language == "zh" && tag.script.empty()) {
    const auto is = [&](std::initializer_list<std::string_view> regions) {
      return std::ranges::find(regions, tag.region) != regions.end();
    };
    if (is({"TW", "HK", "MO"})) tag.script = "Hant";
    if (is({"CN", "SG", "MY"})) tag.script = "Hans";
  }
  return tag;
}

LanguageMatch match_languages(const LanguageTag& asked, const LanguageTag& served) {
  if (asked.language != served.language) return LanguageMatch::none;
  if (asked == served) return LanguageMatch::same;
  if (written_script(asked) != written_script(served)) return LanguageMatch::none;
  if (asked.region == served.region && asked.rest == served.rest)
    return LanguageMatch::implied_script;
  const bool general = (asked.region + asked.rest).empty() || (served.region + served.rest).empty();
  return general ? LanguageMatch::no_region : LanguageMatch::other_region;
}

LanguageMatch match_sources(const LanguageTag& asked, const LanguageTag& served) {
  const LanguageMatch match = match_languages(asked, served);
  if (match != LanguageMatch::none) return match;
  const bool any_script = asked.language == served.language && served.script.empty();
  return any_script ? LanguageMatch::any_script : LanguageMatch::none;
}

std::string canonical_language(std::string_view code) {
  if (const LanguageFacts* row = find_language(code)) return std::string(row->code);
  std::string lower = lower_ascii(code);
  std::ranges::replace(lower, '_', '-');
  return lower;
}

const LanguageFacts* find_language(std::string_view code) {
  return row_of(parse_language(code));
}

std::string language_name(std::string_view code) {
  const LanguageFacts* facts = find_language(code);
  return std::string(facts ? facts->name : code);
}

}  // namespace heed
