#include "heed/evaluate/bleu_tokenizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "heed/core/error.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/evaluate/line_rules.h"

namespace heed {
namespace {

// What sacreBLEU has beside them needs a model or dictionary of its own.
constexpr std::array<std::string_view, 6> kNotHere = {"ja-mecab",  "ko-mecab",  "spm",
                                                      "flores101", "flores200", "spBLEU-1K"};

// Takes out the marks of the format that mteval reads.
void remove_markup(std::string& line) {
  detail::replace_all(line, "<skipped>", "");
  detail::replace_all(line, "-\n", "");
  detail::replace_all(line, "\n", " ");
  detail::replace_entities(line);
}

void rewrite_as_13a(std::string& line) {
  remove_markup(line);
  line.insert(line.begin(), ' ');
  line.push_back(' ');
  detail::separate_symbols(line);
  detail::separate_points_and_dashes(line);
}

void rewrite_as_international(std::string& line) {
  const auto is_no_number = [](char32_t character) { return !is_number(character); };
  std::u32string characters = decode_utf8(line);
  detail::separate_after(characters, is_no_number, is_punctuation);
  detail::separate_before(characters, is_punctuation, is_no_number);
  detail::separate_each(characters, is_symbol);
  line = encode_utf8(characters);
}

// What sacreBLEU takes for Chinese. Where its source means U+20000 to U+2A6D6, Python reads the
// texts U+2000 '0' and U+2A6D '6' and compares with them: much that is not Chinese stands alone,
// and the rarer ideographs do not.
bool is_chinese(char32_t character) {
  static constexpr std::array<std::pair<char32_t, char32_t>, 15> kRanges = {{
      {0x2001, 0x2A6D},
      {0x2E80, 0x2FDF},
      {0x2FF0, 0x303F},
      {0x3100, 0x312F},
      {0x31A0, 0x31BF},
      {0x31C0, 0x31EF},
      {0x3200, 0x33FF},
      {0x3400, 0x4DB5},
      {0x4E00, 0x9FBB},
      {0xF900, 0xFA2D},
      {0xFA30, 0xFA6A},
      {0xFA70, 0xFAD9},
      {0xFE10, 0xFE1F},
      {0xFE30, 0xFE4F},
      {0xFF00, 0xFFEF},
  }};
  return std::any_of(kRanges.begin(), kRanges.end(), [&](const auto& range) {
    return character >= range.first && character <= range.second;
  });
}

void rewrite_as_chinese(std::string& line) {
  line.erase(0, line.size() - without_leading_whitespace(line).size());
  std::u32string characters = decode_utf8(line);
  detail::separate_each(characters, is_chinese);
  line = encode_utf8(characters);
  detail::separate_symbols(line);
  detail::separate_points_and_dashes(line);
}

void rewrite(BleuTokenizer tokenizer, std::string& line) {
  if (tokenizer == BleuTokenizer::none) return;
  line.resize(without_trailing_whitespace(line).size());
  if (tokenizer == BleuTokenizer::mteval_13a) rewrite_as_13a(line);
  if (tokenizer == BleuTokenizer::international) rewrite_as_international(line);
  if (tokenizer == BleuTokenizer::chinese) rewrite_as_chinese(line);
}

}  // namespace

std::string_view name(BleuTokenizer tokenizer) {
  for (const auto& [name, candidate] : enum_names(tokenizer)) {
    if (candidate == tokenizer) return name;
  }
  throw Bug("a tokenizer without a name");
}

BleuTokenizer parse_bleu_tokenizer(std::string_view name) {
  for (const auto& [candidate, tokenizer] : enum_names(BleuTokenizer{})) {
    if (candidate == name) return tokenizer;
  }
  if (std::find(kNotHere.begin(), kNotHere.end(), name) != kNotHere.end()) {
    fail_usage(
        "the tokenizer '{}' needs a model that heed does not carry: tokenize the text with it "
        "beforehand and give none, or use 13a, char, intl or zh",
        name);
  }
  fail_usage("unknown tokenizer '{}': expected 13a, none, char, intl or zh", name);
}

void tokenize(BleuTokenizer tokenizer, std::string& line, std::vector<std::string_view>& tokens) {
  tokens.clear();
  if (tokenizer == BleuTokenizer::character) return split_characters(line, tokens);
  rewrite(tokenizer, line);
  split_at_whitespace(line, tokens);
}

}  // namespace heed
