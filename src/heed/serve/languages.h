// Names and scripts of languages, by their codes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heed/core/scripts.h"

namespace heed {

struct LanguageFacts {
  std::string_view code;         // ISO 639-1 or 639-3, with a script or region: "de", "zh-Hant"
  std::string_view name;         // in English
  std::string_view native_name;  // in the language
  Script script;                 // Japanese: kana, besides Han; Korean: Hangul
};

// A code in the form of the table: other codes of the same language ("iw", "zt", "zh_TW", "ZH") are
// replaced, regions and scripts that the table does not distinguish are left out ("en-GB" is "en").
// A code of an unknown language comes back in lower case.
std::string canonical_language(std::string_view code);

// Nothing for an unknown language.
std::optional<LanguageFacts> find_language(std::string_view code);

// In English; the code itself for an unknown language.
std::string language_name(std::string_view code);

}  // namespace heed
