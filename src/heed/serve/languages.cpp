#include "heed/serve/languages.h"

#include <algorithm>
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
// clang-format on

// Synonyms, in lower case, of codes of the table: of older standards, of cld2, of
// LibreTranslate, and of Chinese by region.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"cmn", "zh"},      {"fil", "tl"},        {"in", "id"},         {"iw", "he"},
    {"ji", "yi"},       {"jw", "jv"},         {"mo", "ro"},         {"no", "nb"},
    {"pb", "pt-BR"},    {"zh-hk", "zh-Hant"}, {"zh-mo", "zh-Hant"}, {"zh-tw", "zh-Hant"},
    {"zht", "zh-Hant"}, {"zt", "zh-Hant"}};

std::string lower_code(std::string_view text) {
  std::string lower = detail::lower_ascii(text);
  std::replace(lower.begin(), lower.end(), '_', '-');
  return lower;
}

const LanguageFacts* row_of(std::string_view lower) {
  for (const LanguageFacts& row : kLanguages)
    if (lower_code(row.code) == lower) return &row;
  for (const auto& [synonym, code] : kSynonyms)
    if (synonym == lower) return row_of(lower_code(code));
  return nullptr;
}

// Of the longest beginning of the code that the table has: "zh-Hant-HK", then "zh-Hant", "zh".
const LanguageFacts* nearest_row(std::string lower) {
  for (;;) {
    if (const LanguageFacts* row = row_of(lower)) return row;
    const size_t end = lower.rfind('-');
    if (end == lower.npos) return nullptr;
    lower.resize(end);
  }
}

}  // namespace

std::string canonical_language(std::string_view code) {
  const std::string lower = lower_code(code);
  const LanguageFacts* row = nearest_row(lower);
  return row ? std::string(row->code) : lower;
}

std::optional<LanguageFacts> find_language(std::string_view code) {
  const LanguageFacts* row = nearest_row(lower_code(code));
  return row ? std::optional(*row) : std::nullopt;
}

std::string language_name(std::string_view code) {
  const std::optional<LanguageFacts> facts = find_language(code);
  return std::string(facts ? facts->name : code);
}

}  // namespace heed
