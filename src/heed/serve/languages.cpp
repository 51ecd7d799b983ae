#include "heed/serve/languages.h"

#include <algorithm>
#include <array>
#include <utility>

#include "heed/serve/http/header_text.h"

namespace heed {
namespace {

// clang-format off
constexpr LanguageFacts kLanguages[] = {
    {"af", "Afrikaans", "Afrikaans", Script::latin},
    {"am", "Amharic", "አማርኛ", Script::ethiopic},
    {"ar", "Arabic", "العربية", Script::arabic},
    {"az", "Azerbaijani", "Azərbaycanca", Script::latin},
    {"be", "Belarusian", "Беларуская", Script::cyrillic},
    {"bg", "Bulgarian", "Български", Script::cyrillic},
    {"bn", "Bengali", "বাংলা", Script::indic},
    {"bo", "Tibetan", "བོད་སྐད་", Script::tibetan},
    {"bs", "Bosnian", "Bosanski", Script::latin},
    {"ca", "Catalan", "Català", Script::latin},
    {"ceb", "Cebuano", "Binisaya", Script::latin},
    {"co", "Corsican", "Corsu", Script::latin},
    {"cs", "Czech", "Čeština", Script::latin},
    {"cy", "Welsh", "Cymraeg", Script::latin},
    {"da", "Danish", "Dansk", Script::latin},
    {"de", "German", "Deutsch", Script::latin},
    {"el", "Greek", "Ελληνικά", Script::greek},
    {"en", "English", "English", Script::latin},
    {"eo", "Esperanto", "Esperanto", Script::latin},
    {"es", "Spanish", "Español", Script::latin},
    {"et", "Estonian", "Eesti", Script::latin},
    {"eu", "Basque", "Euskara", Script::latin},
    {"fa", "Persian", "فارسی", Script::arabic},
    {"fi", "Finnish", "Suomi", Script::latin},
    {"fo", "Faroese", "Føroyskt", Script::latin},
    {"fr", "French", "Français", Script::latin},
    {"fy", "Frisian", "Frysk", Script::latin},
    {"ga", "Irish", "Gaeilge", Script::latin},
    {"gd", "Scottish Gaelic", "Gàidhlig", Script::latin},
    {"gl", "Galician", "Galego", Script::latin},
    {"gu", "Gujarati", "ગુજરાતી", Script::indic},
    {"ha", "Hausa", "Hausa", Script::latin},
    {"haw", "Hawaiian", "ʻŌlelo Hawaiʻi", Script::latin},
    {"he", "Hebrew", "עברית", Script::hebrew},
    {"hi", "Hindi", "हिन्दी", Script::indic},
    {"hmn", "Hmong", "Hmoob", Script::latin},
    {"hr", "Croatian", "Hrvatski", Script::latin},
    {"ht", "Haitian Creole", "Kreyòl ayisyen", Script::latin},
    {"hu", "Hungarian", "Magyar", Script::latin},
    {"hy", "Armenian", "Հայերեն", Script::armenian},
    {"id", "Indonesian", "Bahasa Indonesia", Script::latin},
    {"ig", "Igbo", "Igbo", Script::latin},
    {"is", "Icelandic", "Íslenska", Script::latin},
    {"it", "Italian", "Italiano", Script::latin},
    {"ja", "Japanese", "日本語", Script::kana},
    {"jv", "Javanese", "Basa Jawa", Script::latin},
    {"ka", "Georgian", "ქართული", Script::georgian},
    {"kk", "Kazakh", "Қазақша", Script::cyrillic},
    {"km", "Khmer", "ភាសាខ្មែរ", Script::khmer},
    {"kn", "Kannada", "ಕನ್ನಡ", Script::indic},
    {"ko", "Korean", "한국어", Script::hangul},
    {"ku", "Kurdish", "Kurdî", Script::latin},
    {"ky", "Kyrgyz", "Кыргызча", Script::cyrillic},
    {"la", "Latin", "Latina", Script::latin},
    {"lb", "Luxembourgish", "Lëtzebuergesch", Script::latin},
    {"lo", "Lao", "ລາວ", Script::lao},
    {"lt", "Lithuanian", "Lietuvių", Script::latin},
    {"lv", "Latvian", "Latviešu", Script::latin},
    {"mg", "Malagasy", "Malagasy", Script::latin},
    {"mi", "Maori", "Māori", Script::latin},
    {"mk", "Macedonian", "Македонски", Script::cyrillic},
    {"ml", "Malayalam", "മലയാളം", Script::indic},
    {"mn", "Mongolian", "Монгол", Script::cyrillic},
    {"mr", "Marathi", "मराठी", Script::indic},
    {"ms", "Malay", "Bahasa Melayu", Script::latin},
    {"mt", "Maltese", "Malti", Script::latin},
    {"my", "Burmese", "မြန်မာ", Script::myanmar},
    {"nb", "Norwegian", "Norsk bokmål", Script::latin},
    {"ne", "Nepali", "नेपाली", Script::indic},
    {"nl", "Dutch", "Nederlands", Script::latin},
    {"nn", "Norwegian Nynorsk", "Norsk nynorsk", Script::latin},
    {"ny", "Chichewa", "Chichewa", Script::latin},
    {"oc", "Occitan", "Occitan", Script::latin},
    {"or", "Odia", "ଓଡ଼ିଆ", Script::indic},
    {"pa", "Punjabi", "ਪੰਜਾਬੀ", Script::indic},
    {"pl", "Polish", "Polski", Script::latin},
    {"ps", "Pashto", "پښتو", Script::arabic},
    {"pt", "Portuguese", "Português", Script::latin},
    {"pt-BR", "Portuguese (Brazil)", "Português (Brasil)", Script::latin},
    {"rm", "Romansh", "Rumantsch", Script::latin},
    {"ro", "Romanian", "Română", Script::latin},
    {"ru", "Russian", "Русский", Script::cyrillic},
    {"rw", "Kinyarwanda", "Ikinyarwanda", Script::latin},
    {"sa", "Sanskrit", "संस्कृतम्", Script::indic},
    {"sd", "Sindhi", "سنڌي", Script::arabic},
    {"si", "Sinhala", "සිංහල", Script::indic},
    {"sk", "Slovak", "Slovenčina", Script::latin},
    {"sl", "Slovenian", "Slovenščina", Script::latin},
    {"sm", "Samoan", "Gagana Samoa", Script::latin},
    {"sn", "Shona", "ChiShona", Script::latin},
    {"so", "Somali", "Soomaali", Script::latin},
    {"sq", "Albanian", "Shqip", Script::latin},
    {"sr", "Serbian", "Српски", Script::cyrillic},
    {"st", "Sesotho", "Sesotho", Script::latin},
    {"su", "Sundanese", "Basa Sunda", Script::latin},
    {"sv", "Swedish", "Svenska", Script::latin},
    {"sw", "Swahili", "Kiswahili", Script::latin},
    {"ta", "Tamil", "தமிழ்", Script::indic},
    {"te", "Telugu", "తెలుగు", Script::indic},
    {"tg", "Tajik", "Тоҷикӣ", Script::cyrillic},
    {"th", "Thai", "ไทย", Script::thai},
    {"ti", "Tigrinya", "ትግርኛ", Script::ethiopic},
    {"tk", "Turkmen", "Türkmençe", Script::latin},
    {"tl", "Filipino", "Filipino", Script::latin},
    {"tr", "Turkish", "Türkçe", Script::latin},
    {"tt", "Tatar", "Татарча", Script::cyrillic},
    {"ug", "Uyghur", "ئۇيغۇرچە", Script::arabic},
    {"uk", "Ukrainian", "Українська", Script::cyrillic},
    {"ur", "Urdu", "اردو", Script::arabic},
    {"uz", "Uzbek", "Oʻzbekcha", Script::latin},
    {"vi", "Vietnamese", "Tiếng Việt", Script::latin},
    {"xh", "Xhosa", "IsiXhosa", Script::latin},
    {"yi", "Yiddish", "ייִדיש", Script::hebrew},
    {"yo", "Yoruba", "Yorùbá", Script::latin},
    {"zh", "Chinese", "中文", Script::han},
    {"zh-Hant", "Chinese (traditional)", "繁體中文", Script::han},
    {"zu", "Zulu", "IsiZulu", Script::latin}};

// Synonyms of codes of the table: three letters (ISO 639-2 and 639-3), and codes of older standards,
// of cld2 and of LibreTranslate.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"afr", "af"}, {"amh", "am"}, {"ara", "ar"}, {"arb", "ar"}, {"aze", "az"}, {"bel", "be"},
    {"ben", "bn"}, {"bod", "bo"}, {"bos", "bs"}, {"bul", "bg"}, {"cat", "ca"}, {"ces", "cs"},
    {"chi", "zh"}, {"cmn", "zh"}, {"cos", "co"}, {"cym", "cy"}, {"dan", "da"}, {"deu", "de"},
    {"dut", "nl"}, {"ell", "el"}, {"eng", "en"}, {"epo", "eo"}, {"est", "et"}, {"eus", "eu"},
    {"fao", "fo"}, {"fas", "fa"}, {"fil", "tl"}, {"fin", "fi"}, {"fra", "fr"}, {"fre", "fr"},
    {"fry", "fy"}, {"ger", "de"}, {"gla", "gd"}, {"gle", "ga"}, {"glg", "gl"}, {"guj", "gu"},
    {"hat", "ht"}, {"hau", "ha"}, {"heb", "he"}, {"hin", "hi"}, {"hrv", "hr"}, {"hun", "hu"},
    {"hye", "hy"}, {"ibo", "ig"}, {"in", "id"}, {"ind", "id"}, {"isl", "is"}, {"ita", "it"},
    {"iw", "he"}, {"jav", "jv"}, {"ji", "yi"}, {"jpn", "ja"}, {"jw", "jv"}, {"kan", "kn"},
    {"kat", "ka"}, {"kaz", "kk"}, {"khm", "km"}, {"kin", "rw"}, {"kir", "ky"}, {"kor", "ko"},
    {"kur", "ku"}, {"lao", "lo"}, {"lat", "la"}, {"lav", "lv"}, {"lit", "lt"}, {"ltz", "lb"},
    {"mal", "ml"}, {"mar", "mr"}, {"mkd", "mk"}, {"mlg", "mg"}, {"mlt", "mt"}, {"mo", "ro"},
    {"mon", "mn"}, {"mri", "mi"}, {"msa", "ms"}, {"mya", "my"}, {"nep", "ne"}, {"nld", "nl"},
    {"nno", "nn"}, {"no", "nb"}, {"nob", "nb"}, {"nor", "nb"}, {"nya", "ny"}, {"oci", "oc"},
    {"ori", "or"}, {"pan", "pa"}, {"pb", "pt-BR"}, {"per", "fa"}, {"pes", "fa"}, {"pol", "pl"},
    {"por", "pt"}, {"pus", "ps"}, {"roh", "rm"}, {"ron", "ro"}, {"rus", "ru"}, {"san", "sa"},
    {"sin", "si"}, {"slk", "sk"}, {"slv", "sl"}, {"smo", "sm"}, {"sna", "sn"}, {"snd", "sd"},
    {"som", "so"}, {"sot", "st"}, {"spa", "es"}, {"sqi", "sq"}, {"srp", "sr"}, {"sun", "su"},
    {"swa", "sw"}, {"swe", "sv"}, {"tam", "ta"}, {"tat", "tt"}, {"tel", "te"}, {"tgk", "tg"},
    {"tgl", "tl"}, {"tha", "th"}, {"tir", "ti"}, {"tuk", "tk"}, {"tur", "tr"}, {"uig", "ug"},
    {"ukr", "uk"}, {"urd", "ur"}, {"uzb", "uz"}, {"vie", "vi"}, {"xho", "xh"}, {"yid", "yi"},
    {"yor", "yo"}, {"zho", "zh"}, {"zht", "zh-Hant"}, {"zt", "zh-Hant"}, {"zul", "zu"}};
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

std::string upper_ascii(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
  return text;
}

bool is_letters(std::string_view text, size_t count) {
  return text.size() == count &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

bool is_digits(std::string_view text, size_t count) {
  return text.size() == count &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Sets the language, and what a synonym says besides: "zt" is Chinese in traditional characters.
void set_language(LanguageTag& tag, std::string_view code) {
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
  if (chinese && is_letters(subtag, 3)) {  // "zh-cmn", "zh-yue"
    set_language(tag, subtag);
  } else if (is_letters(subtag, 4) && tag.region.empty() && tag.rest.empty()) {
    tag.script = subtag;
    tag.script[0] = char(tag.script[0] - 'a' + 'A');
  } else if ((is_letters(subtag, 2) || is_digits(subtag, 3)) && tag.rest.empty()) {
    tag.region = upper_ascii(std::string(subtag));
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
  const LanguageTag tag = parse_language(code);
  if (const LanguageFacts* row = row_of(tag)) return std::string(row->code);
  std::string lower = detail::lower_ascii(code);
  std::replace(lower.begin(), lower.end(), '_', '-');
  return lower;
}

std::optional<LanguageFacts> find_language(std::string_view code) {
  const LanguageFacts* row = row_of(parse_language(code));
  return row ? std::optional(*row) : std::nullopt;
}

std::string language_name(std::string_view code) {
  const std::optional<LanguageFacts> facts = find_language(code);
  return std::string(facts ? facts->name : code);
}

}  // namespace heed
