#include "heed/core/scripts.h"

#include <algorithm>
#include <numeric>

namespace heed {
namespace {

struct Block {
  char32_t first, last;
  Script script;
};

// Ordered by code point.
constexpr Block kBlocks[] = {
    {'A', 'Z', Script::latin},           {'a', 'z', Script::latin},
    {0xAA, 0xAA, Script::latin},         {0xBA, 0xBA, Script::latin},
    {0xC0, 0xD6, Script::latin},         {0xD8, 0xF6, Script::latin},
    {0xF8, 0x2AF, Script::latin},        {0x370, 0x3FF, Script::greek},
    {0x400, 0x52F, Script::cyrillic},    {0x531, 0x58F, Script::armenian},
    {0x5D0, 0x5F2, Script::hebrew},      {0x620, 0x65F, Script::arabic},
    {0x66E, 0x6D3, Script::arabic},      {0x6D5, 0x6EF, Script::arabic},
    {0x6FA, 0x6FF, Script::arabic},      {0x750, 0x77F, Script::arabic},
    {0x8A0, 0x8FF, Script::arabic},      {0x900, 0xDFF, Script::indic},
    {0xE01, 0xE4E, Script::thai},        {0xE81, 0xECE, Script::lao},
    {0xF00, 0xFFF, Script::tibetan},     {0x1000, 0x109F, Script::myanmar},
    {0x10A0, 0x10FF, Script::georgian},  {0x1100, 0x11FF, Script::hangul},
    {0x1200, 0x137F, Script::ethiopic},  {0x1780, 0x17FF, Script::khmer},
    {0x1820, 0x18AF, Script::mongolian}, {0x1C80, 0x1C8F, Script::cyrillic},
    {0x1E00, 0x1EFF, Script::latin},     {0x1F00, 0x1FFF, Script::greek},
    {0x2C60, 0x2C7F, Script::latin},     {0x2DE0, 0x2DFF, Script::cyrillic},
    {0x2E80, 0x2FDF, Script::han},       {0x3005, 0x3007, Script::han},
    {0x3041, 0x30FA, Script::kana},      {0x30FC, 0x30FF, Script::kana},
    {0x3131, 0x318F, Script::hangul},    {0x31F0, 0x31FF, Script::kana},
    {0x3400, 0x4DBF, Script::han},       {0x4E00, 0x9FFF, Script::han},
    {0xA640, 0xA69F, Script::cyrillic},  {0xA720, 0xA7FF, Script::latin},
    {0xAC00, 0xD7AF, Script::hangul},    {0xF900, 0xFAFF, Script::han},
    {0xFB00, 0xFB06, Script::latin},     {0xFB1D, 0xFB4F, Script::hebrew},
    {0xFB50, 0xFDFF, Script::arabic},    {0xFE70, 0xFEFC, Script::arabic},
    {0xFF21, 0xFF3A, Script::latin},     {0xFF41, 0xFF5A, Script::latin},
    {0xFF66, 0xFF9F, Script::kana},      {0x20000, 0x323AF, Script::han},
};

// ０ to ９, Ａ to Ｚ, ａ to ｚ: words of other scripts in Chinese and Japanese text.
bool is_full_width_alphanumeric(char32_t c) {
  return (c >= 0xFF10 && c <= 0xFF19) || (c >= 0xFF21 && c <= 0xFF3A) ||
         (c >= 0xFF41 && c <= 0xFF5A);
}

}  // namespace

std::optional<Script> script_of(char32_t character) {
  const auto* block =
      std::partition_point(std::begin(kBlocks), std::end(kBlocks),
                           [&](const Block& candidate) { return candidate.last < character; });
  if (block == std::end(kBlocks) || character < block->first) return std::nullopt;
  return block->script;
}

bool is_unspaced(Script script) {
  constexpr Script kUnspaced[] = {Script::thai,  Script::lao,  Script::tibetan, Script::myanmar,
                                  Script::khmer, Script::kana, Script::han};
  return std::ranges::find(kUnspaced, script) != std::end(kUnspaced);
}

bool is_chinese_or_japanese(char32_t c) {
  return (c >= 0x3000 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x9FFF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF00 && c <= 0xFFEF) ||
         (c >= 0x20000 && c <= 0x3FFFF);
}

bool is_unspaced(char32_t character) {
  if (is_full_width_alphanumeric(character)) return false;
  if (is_chinese_or_japanese(character)) return true;
  const std::optional<Script> script = script_of(character);
  return script && is_unspaced(*script);
}

int64_t sum(const ScriptCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

bool has_spaced_words(const ScriptCounts& letters, int64_t words, int64_t lines) {
  int64_t unspaced = 0;
  for (size_t i = 0; i < kScripts; ++i) unspaced += is_unspaced(Script(i)) ? letters[i] : 0;
  if (2 * unspaced <= sum(letters)) return true;
  const int64_t characters = letters[size_t(Script::han)] + letters[size_t(Script::kana)];
  const int64_t longest_mean = 2 * characters > unspaced ? 3 : 8;
  return 2 * words >= 3 * lines && sum(letters) < longest_mean * words;
}

}  // namespace heed
