#include "heed/evaluate/bleu_tokenizer.h"

#include "heed/core/scripts.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/evaluate/line_rules.h"

namespace heed {
namespace {

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
constexpr detail::CharacterRange kChinese[] = {
    {0x2001, 0x2A6D}, {0x2E80, 0x2FDF}, {0x2FF0, 0x303F}, {0x3100, 0x312F}, {0x31A0, 0x31BF},
    {0x31C0, 0x31EF}, {0x3200, 0x33FF}, {0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D},
    {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF},
};

void rewrite_as_chinese(std::string& line) {
  line.erase(0, line.size() - without_leading_whitespace(line).size());
  std::u32string characters = decode_utf8(line);
  detail::separate_each(characters,
                        [](char32_t character) { return detail::is_in(kChinese, character); });
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

// Characters of the scripts without spaces, and words of the others: a word says about as much as
// one or two Chinese characters, a letter much less.
struct Counts {
  int64_t han = 0, kana = 0, other_unspaced = 0, words = 0;

  void add(const std::string& line) {
    bool in_word = false;
    for (const char32_t character : decode_utf8(line)) {
      const auto script = script_of(character);
      const bool spaced = script && !is_unspaced(*script);
      if (spaced && !in_word) ++words;
      in_word = spaced;
      if (!script || spaced) continue;
      ++(*script == Script::han ? han : *script == Script::kana ? kana : other_unspaced);
    }
  }
};

}  // namespace

void tokenize(BleuTokenizer tokenizer, std::string& line, std::vector<std::string_view>& tokens) {
  tokens.clear();
  if (tokenizer == BleuTokenizer::character) return split_characters(line, tokens);
  rewrite(tokenizer, line);
  split_at_whitespace(line, tokens);
}

BleuTokenizer suitable_bleu_tokenizer(std::span<const Lines> references) {
  // A product's name may bring kana into Chinese; Japanese has them in every sentence.
  constexpr int64_t kHanPerKana = 10;
  Counts counts;
  for (const Lines& lines : references)
    for (const std::string& line : lines) counts.add(line);
  const int64_t east_asian = counts.han + counts.kana;
  if (counts.words >= east_asian + counts.other_unspaced) return BleuTokenizer::mteval_13a;
  const bool chinese =
      counts.han > counts.other_unspaced && counts.kana * kHanPerKana <= counts.han;
  return chinese ? BleuTokenizer::chinese : BleuTokenizer::character;
}

}  // namespace heed
