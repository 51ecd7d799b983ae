// The writing systems that the letters of a text belong to.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heed {

enum class Script {
  latin,
  greek,
  cyrillic,
  armenian,
  hebrew,
  arabic,
  indic,  // Devanagari to Sinhala in the order of Unicode's blocks: Bengali, Tamil and others
  thai,
  lao,
  tibetan,
  myanmar,
  georgian,
  ethiopic,
  khmer,
  mongolian,
  hangul,
  kana,
  han
};
inline constexpr size_t kScripts = 18;

constexpr auto enum_names(Script) {
  constexpr std::array<std::string_view, kScripts> kNames = {
      "latin",   "greek",   "cyrillic", "armenian", "hebrew", "arabic",    "indic",  "thai", "lao",
      "tibetan", "myanmar", "georgian", "ethiopic", "khmer",  "mongolian", "hangul", "kana", "han"};
  std::array<std::pair<std::string_view, Script>, kScripts> names;
  for (size_t i = 0; i < kScripts; ++i) names[i] = {kNames[i], Script(i)};
  return names;
}

// The script of a letter, by Unicode's blocks; nothing for digits, punctuation, symbols, and
// scripts that are not listed.
std::optional<Script> script_of(char32_t character);

// Whether a script is written without spaces between its words: Chinese and Japanese characters,
// Thai, Lao, Khmer, Burmese, Tibetan.
bool is_unspaced(Script script);

// Chinese and Japanese characters (not Hangul) with their punctuation and full-width forms: no
// spaces at all, not between sentences either.
bool is_chinese_or_japanese(char32_t character);

// Whether a character belongs to text without spaces between its words: a letter of such a script,
// or a Chinese or Japanese character. Full-width letters and digits make words.
bool is_unspaced(char32_t character);

// How many letters of each script a text has, by int(Script).
using ScriptCounts = std::array<int64_t, kScripts>;

int64_t sum(const ScriptCounts& counts);

// Guesses whether spaces separate the words of a text, from its counts of letters, of strings
// between spaces (`words`) and of lines. True for scripts with spaces. Text in other scripts counts
// as segmented if it has at least 1.5 such strings a line, of fewer than 3 letters on average (8
// for Thai, Lao, Khmer, Burmese and Tibetan).
bool has_spaced_words(const ScriptCounts& letters, int64_t words, int64_t lines);

}  // namespace heed
