// Names and scripts of languages, by their codes, and which codes mean the same.
#pragma once

#include <string>
#include <string_view>

#include "heed/core/scripts.h"

namespace heed {

struct LanguageFacts {
  std::string_view code;  // ISO 639-1 or 639-3, with a script or region: "de", "zh-Hant"
  std::string_view iso3;  // ISO 639-3, where it is a synonym of the code
  std::string_view name;  // in English
  Script script;          // Japanese: kana, besides Han; Korean: Hangul
};

// The parts of a code. Only the language is required.
struct LanguageTag {
  std::string language;  // ISO 639-1 where it has a code, in lower case: "zh" of "cmn"
  std::string script;    // ISO 15924: "Hant"
  std::string region;    // ISO 3166-1 or UN M.49: "TW", "419"
  std::string rest;      // what follows, in lower case
  friend bool operator==(const LanguageTag&, const LanguageTag&) = default;
};

// Reads a code in any case, with '-' or '_', as clients write it: "zh_cn", "ZH", "eng_Latn", "zt".
// The regions of Chinese imply a script: "zh-TW" is zh, Hant, TW. Never fails.
LanguageTag parse_language(std::string_view code);

// The quality of the match of a served language with the requested one; later is better.
enum class LanguageMatch {
  none,        // another language, or another script
  any_script,  // only match_sources()
  // From here on with the same language and script.
  other_region,    // "en-GB" for "en-US"
  no_region,       // "en" for "en-US", or the other way round
  implied_script,  // one of them leaves out the script that the other names: "zh" for "zh-Hans"
  same             // "zh-Hant" for "zt"
};

// A code without script stands for the script that its language is mostly written in: "zh" for
// simplified Chinese.
LanguageMatch match_languages(const LanguageTag& asked, const LanguageTag& served);

// The same for the source of a model: one without a script reads all of them, as models of "zh" do
// that were trained on both kinds of Chinese text.
LanguageMatch match_sources(const LanguageTag& asked, const LanguageTag& served);

// A code in the form of the table: other codes of the same language ("iw", "zt", "zh_TW", "ZH") are
// replaced, regions and scripts that the table does not distinguish are left out ("en-GB" is "en").
// A code of an unknown language comes back in lower case.
std::string canonical_language(std::string_view code);

// Null for an unknown language.
const LanguageFacts* find_language(std::string_view code);

// In English; the code itself for an unknown language.
std::string language_name(std::string_view code);

}  // namespace heed
