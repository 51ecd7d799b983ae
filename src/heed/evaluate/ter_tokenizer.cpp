#include "heed/evaluate/ter_tokenizer.h"

#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/evaluate/line_rules.h"

namespace heed {
namespace {

constexpr detail::CharacterRange kAsianPunctuation[] = {
    {0x3001, 0x3002}, {0x3008, 0x3011}, {0x3014, 0x301F}, {0x30FB, 0x30FB},
    {0xFF01, 0xFF02}, {0xFF08, 0xFF09}, {0xFF0C, 0xFF0C}, {0xFF0E, 0xFF0E},
    {0xFF1A, 0xFF1B}, {0xFF1F, 0xFF1F}, {0xFF61, 0xFF65},
};

// Ideographs, radicals, strokes, enclosed and compatibility characters, which stand alone beside
// Asian punctuation. Runs of kana stay whole: sacreBLEU's rule for them sees lines of nothing else,
// and a line has a space before it by then.
constexpr detail::CharacterRange kIdeographs[] = {
    {0x2E80, 0x2EFF}, {0x31C0, 0x31EF}, {0x3200, 0x4DBF},
    {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0xFE30, 0xFE4F},
};

bool is_asian_punctuation(char32_t character) {
  return detail::is_in(kAsianPunctuation, character);
}

bool stands_alone(char32_t character) {
  return detail::is_in(kIdeographs, character) || is_asian_punctuation(character);
}

bool is_punctuation_of_tercom(char32_t character) {
  constexpr std::u32string_view kPunctuation = U".,?:;!\"()";
  return kPunctuation.find(character) != std::u32string_view::npos;
}

void normalize(std::string& line) {
  detail::replace_all(line, "\n-", "");
  detail::replace_all(line, "\n", " ");
  detail::replace_entities(line);
  line.insert(line.begin(), ' ');
  line.push_back(' ');
  detail::separate_symbols(line);
  detail::replace_all(line, "'s ", " 's ");
  detail::separate_points_and_dashes(line);
}

void rewrite_characters(const TerTokenizerOptions& options, std::string& line) {
  std::u32string characters = decode_utf8(line);
  if (options.normalized && options.asian_support) detail::separate_each(characters, stands_alone);
  if (options.no_punctuation) {
    std::erase_if(characters, [&](char32_t character) {
      return is_punctuation_of_tercom(character) ||
             (options.asian_support && is_asian_punctuation(character));
    });
  }
  line = encode_utf8(characters);
}

}  // namespace

void tokenize_for_ter(const TerTokenizerOptions& options, std::string& line,
                      std::vector<std::string_view>& words) {
  words.clear();
  line.resize(without_trailing_whitespace(line).size());
  if (line.empty()) return;
  if (!options.case_sensitive) line = lowercase(line);
  if (options.normalized) normalize(line);
  if (options.no_punctuation || options.asian_support) rewrite_characters(options, line);
  split_at_whitespace(line, words);
}

}  // namespace heed
