#include "heed/serve/languages.h"

#include <algorithm>
#include <array>
#include <utility>

#include "heed/serve/http/header_text.h"

namespace heed {
namespace {

// clang-format off
constexpr LanguageFacts kLanguages[] = {
    {"af", "afr", "Afrikaans", "Afrikaans", Script::latin},
    {"am", "amh", "Amharic", "አማርኛ", Script::ethiopic},
    {"ar", "ara", "Arabic", "العربية", Script::arabic},
    {"az", "aze", "Azerbaijani", "Azərbaycanca", Script::latin},
    {"be", "bel", "Belarusian", "Беларуская", Script::cyrillic},
    {"bg", "bul", "Bulgarian", "Български", Script::cyrillic},
    {"bn", "ben", "Bengali", "বাংলা", Script::indic},
    {"bo", "bod", "Tibetan", "བོད་སྐད་", Script::tibetan},
    {"bs", "bos", "Bosnian", "Bosanski", Script::latin},
    {"ca", "cat", "Catalan", "Català", Script::latin},
    {"ceb", "", "Cebuano", "Binisaya", Script::latin},
    {"co", "cos", "Corsican", "Corsu", Script::latin},
    {"cs", "ces", "Czech", "Čeština", Script::latin},
    {"cy", "cym", "Welsh", "Cymraeg", Script::latin},
    {"da", "dan", "Danish", "Dansk", Script::latin},
    {"de", "deu", "German", "Deutsch", Script::latin},
    {"el", "ell", "Greek", "Ελληνικά", Script::greek},
    {"en", "eng", "English", "English", Script::latin},
    {"eo", "epo", "Esperanto", "Esperanto", Script::latin},
    {"es", "spa", "Spanish", "Español", Script::latin},
    {"et", "est", "Estonian", "Eesti", Script::latin},
    {"eu", "eus", "Basque", "Euskara", Script::latin},
    {"fa", "fas", "Persian", "فارسی", Script::arabic},
    {"fi", "fin", "Finnish", "Suomi", Script::latin},
    {"fo", "fao", "Faroese", "Føroyskt", Script::latin},
    {"fr", "fra", "French", "Français", Script::latin},
    {"fy", "fry", "Frisian", "Frysk", Script::latin},
    {"ga", "gle", "Irish", "Gaeilge", Script::latin},
    {"gd", "gla", "Scottish Gaelic", "Gàidhlig", Script::latin},
    {"gl", "glg", "Galician", "Galego", Script::latin},
    {"gu", "guj", "Gujarati", "ગુજરાતી", Script::indic},
    {"ha", "hau", "Hausa", "Hausa", Script::latin},
    {"haw", "", "Hawaiian", "ʻŌlelo Hawaiʻi", Script::latin},
    {"he", "heb", "Hebrew", "עברית", Script::hebrew},
    {"hi", "hin", "Hindi", "हिन्दी", Script::indic},
    {"hmn", "", "Hmong", "Hmoob", Script::latin},
    {"hr", "hrv", "Croatian", "Hrvatski", Script::latin},
    {"ht", "hat", "Haitian Creole", "Kreyòl ayisyen", Script::latin},
    {"hu", "hun", "Hungarian", "Magyar", Script::latin},
    {"hy", "hye", "Armenian", "Հայերեն", Script::armenian},
    {"id", "ind", "Indonesian", "Bahasa Indonesia", Script::latin},
    {"ig", "ibo", "Igbo", "Igbo", Script::latin},
    {"is", "isl", "Icelandic", "Íslenska", Script::latin},
    {"it", "ita", "Italian", "Italiano", Script::latin},
    {"ja", "jpn", "Japanese", "日本語", Script::kana},
    {"jv", "jav", "Javanese", "Basa Jawa", Script::latin},
    {"ka", "kat", "Georgian", "ქართული", Script::georgian},
    {"kk", "kaz", "Kazakh", "Қазақша", Script::cyrillic},
    {"km", "khm", "Khmer", "ភាសាខ្មែរ", Script::khmer},
    {"kn", "kan", "Kannada", "ಕನ್ನಡ", Script::indic},
    {"ko", "kor", "Korean", "한국어", Script::hangul},
    {"ku", "kur", "Kurdish", "Kurdî", Script::latin},
    {"ky", "kir", "Kyrgyz", "Кыргызча", Script::cyrillic},
    {"la", "lat", "Latin", "Latina", Script::latin},
    {"lb", "ltz", "Luxembourgish", "Lëtzebuergesch", Script::latin},
    {"lo", "lao", "Lao", "ລາວ", Script::lao},
    {"lt", "lit", "Lithuanian", "Lietuvių", Script::latin},
    {"lv", "lav", "Latvian", "Latviešu", Script::latin},
    {"mg", "mlg", "Malagasy", "Malagasy", Script::latin},
    {"mi", "mri", "Maori", "Māori", Script::latin},
    {"mk", "mkd", "Macedonian", "Македонски", Script::cyrillic},
    {"ml", "mal", "Malayalam", "മലയാളം", Script::indic},
    {"mn", "mon", "Mongolian", "Монгол", Script::cyrillic},
    {"mr", "mar", "Marathi", "मराठी", Script::indic},
    {"ms", "msa", "Malay", "Bahasa Melayu", Script::latin},
    {"mt", "mlt", "Maltese", "Malti", Script::latin},
    {"my", "mya", "Burmese", "မြန်မာ", Script::myanmar},
    {"nb", "nob", "Norwegian", "Norsk bokmål", Script::latin},
    {"ne", "nep", "Nepali", "नेपाली", Script::indic},
    {"nl", "nld", "Dutch", "Nederlands", Script::latin},
    {"nn", "nno", "Norwegian Nynorsk", "Norsk nynorsk", Script::latin},
    {"ny", "nya", "Chichewa", "Chichewa", Script::latin},
    {"oc", "oci", "Occitan", "Occitan", Script::latin},
    {"or", "ori", "Odia", "ଓଡ଼ିଆ", Script::indic},
    {"pa", "pan", "Punjabi", "ਪੰਜਾਬੀ", Script::indic},
    {"pl", "pol", "Polish", "Polski", Script::latin},
    {"ps", "pus", "Pashto", "پښتو", Script::arabic},
    {"pt", "por", "Portuguese", "Português", Script::latin},
    {"pt-BR", "", "Portuguese (Brazil)", "Português (Brasil)", Script::latin},
    {"rm", "roh", "Romansh", "Rumantsch", Script::latin},
    {"ro", "ron", "Romanian", "Română", Script::latin},
    {"ru", "rus", "Russian", "Русский", Script::cyrillic},
    {"rw", "kin", "Kinyarwanda", "Ikinyarwanda", Script::latin},
    {"sa", "san", "Sanskrit", "संस्कृतम्", Script::indic},
    {"sd", "snd", "Sindhi", "سنڌي", Script::arabic},
    {"si", "sin", "Sinhala", "සිංහල", Script::indic},
    {"sk", "slk", "Slovak", "Slovenčina", Script::latin},
    {"sl", "slv", "Slovenian", "Slovenščina", Script::latin},
    {"sm", "smo", "Samoan", "Gagana Samoa", Script::latin},
    {"sn", "sna", "Shona", "ChiShona", Script::latin},
    {"so", "som", "Somali", "Soomaali", Script::latin},
    {"sq", "sqi", "Albanian", "Shqip", Script::latin},
    {"sr", "srp", "Serbian", "Српски", Script::cyrillic},
    {"st", "sot", "Sesotho", "Sesotho", Script::latin},
    {"su", "sun", "Sundanese", "Basa Sunda", Script::latin},
    {"sv", "swe", "Swedish", "Svenska", Script::latin},
    {"sw", "swa", "Swahili", "Kiswahili", Script::latin},
    {"ta", "tam", "Tamil", "தமிழ்", Script::indic},
    {"te", "tel", "Telugu", "తెలుగు", Script::indic},
    {"tg", "tgk", "Tajik", "Тоҷикӣ", Script::cyrillic},
    {"th", "tha", "Thai", "ไทย", Script::thai},
    {"ti", "tir", "Tigrinya", "ትግርኛ", Script::ethiopic},
    {"tk", "tuk", "Turkmen", "Türkmençe", Script::latin},
    {"tl", "tgl", "Filipino", "Filipino", Script::latin},
    {"tr", "tur", "Turkish", "Türkçe", Script::latin},
    {"tt", "tat", "Tatar", "Татарча", Script::cyrillic},
    {"ug", "uig", "Uyghur", "ئۇيغۇرچە", Script::arabic},
    {"uk", "ukr", "Ukrainian", "Українська", Script::cyrillic},
    {"ur", "urd", "Urdu", "اردو", Script::arabic},
    {"uz", "uzb", "Uzbek", "Oʻzbekcha", Script::latin},
    {"vi", "vie", "Vietnamese", "Tiếng Việt", Script::latin},
    {"xh", "xho", "Xhosa", "IsiXhosa", Script::latin},
    {"yi", "yid", "Yiddish", "ייִדיש", Script::hebrew},
    {"yo", "yor", "Yoruba", "Yorùbá", Script::latin},
    {"zh", "zho", "Chinese", "中文", Script::han},
    {"zh-Hant", "", "Chinese (traditional)", "繁體中文", Script::han},
    {"zu", "zul", "Zulu", "IsiZulu", Script::latin}};

// Other synonyms of codes of the table: of ISO 639-2 and 639-3, of older standards, of cld2 and of
// LibreTranslate.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"arb", "ar"}, {"chi", "zh"}, {"cmn", "zh"}, {"dut", "nl"}, {"fil", "tl"}, {"fre", "fr"},
    {"ger", "de"}, {"in", "id"}, {"iw", "he"}, {"ji", "yi"}, {"jw", "jv"}, {"mo", "ro"},
    {"no", "nb"}, {"nor", "nb"}, {"pb", "pt-BR"}, {"per", "fa"}, {"pes", "fa"}, {"zht", "zh-Hant"},
    {"zt", "zh-Hant"}};
// clang-format on

// By Script, as in ISO 15924; that of Han is simplified Chinese's.
constexpr std::array<std::string_view, kScripts> kScriptCodes = {
    "Latn", "Grek", "Cyrl", "Armn", "Hebr", "Arab", "Deva", "Thai", "Laoo",
    "Tibt", "Mymr", "Geor", "Ethi", "Khmr", "Mong", "Kore", "Jpan", "Hans"};

// Of languages whose script is Script::indic but not Devanagari.
constexpr std::pair<std::string_view, std::string_view> kIndicScripts[] = {
    {"bn", "Beng"}, {"gu", "Gujr"}, {"kn", "Knda"}, {"ml", "Mlym"}, {"or", "Orya"},
    {"pa", "Guru"}, {"si", "Sinh"}, {"ta", "Taml"}, {"te", "Telu"}};

const LanguageFacts* row_of(std::string_view code) {
  const auto* found = std::find_if(std::begin(kLanguages), std::end(kLanguages),
                                   [&](const LanguageFacts& row) { return row.code == code; });
  return found == std::end(kLanguages) ? nullptr : found;
}

// Of a language with its script, or with its region, or alone.
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
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
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
              (subtag.size() == 3 && detail::is_digits(subtag))) &&
             tag.rest.empty()) {
    tag.region = subtag;
    for (char& c : tag.region) c = c >= 'a' ? char(c - 'a' + 'A') : c;
  } else {
    (tag.rest += tag.rest.empty() ? "" : "-") += subtag;
  }
}

}  // namespace

LanguageTag parse_language(std::string_view code) {
  std::string lower = detail::lower_ascii(code);
  std::replace(lower.begin(), lower.end(), '_', '-');
  LanguageTag tag;
  std::string_view left = lower;
  set_language(tag, detail::take_element(left, '-'));
  while (!left.empty()) add_subtag(tag, detail::take_element(left, '-'));
  // The regions that decide about the script.
  if (tag.language == "zh" && tag.script.empty()) {
    const auto is = [&](std::initializer_list<std::string_view> regions) {
      return std::find(regions.begin(), regions.end(), tag.region) != regions.end();
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
  if (asked.region == served.region && asked.rest == served.rest) return LanguageMatch::same_region;
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
  std::string lower = detail::lower_ascii(code);
  std::replace(lower.begin(), lower.end(), '_', '-');
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
