#include "heed/evaluate/tokenizers.h"

#include <algorithm>

#include "heed/core/scripts.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

// The rewriting rules. Each is applied to the whole result of the one before; its matches do not
// overlap, as with regular expressions.

// &quot; &amp; &lt; &gt; to their characters. Sequentially, since a replacement can create a match
// for the next one.
void replace_entities(std::string& text) {
  if (text.find('&') == std::string::npos) return;
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
}

// Spaces around every character at a position for which alone(position, begin) holds, where `begin`
// is the end of the match before it. A match has `behind` more characters, which stay as they are.
// These rules work on bytes (std::string) and on code points (std::u32string).
template <class Char, class Alone>
void separate(std::basic_string<Char>& line, size_t behind, Alone alone) {
  std::basic_string<Char> separated;
  separated.reserve(2 * line.size());
  size_t begin = 0;  // text between matches is copied whole
  for (size_t i = 0; i + behind < line.size(); ++i) {
    if (!alone(i, begin)) continue;
    separated.append(line, begin, i - begin).append({Char(' '), line[i], Char(' ')});
    separated.append(line, i + 1, behind);
    i += behind;
    begin = i + 1;
  }
  if (begin > 0) line = separated.append(line, begin);
}

// Spaces around every character for which `alone` holds.
template <class Char, class Alone>
void separate_each(std::basic_string<Char>& line, Alone alone) {
  separate(line, 0, [&](size_t i, size_t) { return alone(line[i]); });
}

// Spaces around every `mark` after a character that is `before`.
template <class Char, class Before, class Mark>
void separate_after(std::basic_string<Char>& line, Before before, Mark mark) {
  separate(line, 0, [&](size_t i, size_t begin) {
    return i > begin && mark(line[i]) && before(line[i - 1]);
  });
}

// Spaces around every `mark` before a character that is `after`.
template <class Char, class Mark, class After>
void separate_before(std::basic_string<Char>& line, Mark mark, After after) {
  separate(line, 1, [&](size_t i, size_t) { return mark(line[i]) && after(line[i + 1]); });
}

// Characters from the first to the last.
struct CharacterRange {
  char32_t first, last;
};
bool is_in(std::span<const CharacterRange> ranges, char32_t character) {
  return std::ranges::any_of(ranges, [&](const CharacterRange& range) {
    return character >= range.first && character <= range.last;
  });
}

// Objects rather than functions, so that the rules are compiled with them inside. They look at
// ASCII alone, so bytes will do.
constexpr auto is_digit = [](char byte) { return byte >= '0' && byte <= '9'; };
constexpr auto is_no_digit = [](char byte) { return !is_digit(byte); };
constexpr auto is_hyphen = [](char byte) { return byte == '-'; };
constexpr auto is_point_or_comma = [](char byte) { return byte == '.' || byte == ','; };
constexpr auto is_ascii_symbol = [](char byte) {
  return is_ascii_punctuation(byte) && byte != '\'' && byte != ',' && byte != '-' && byte != '.';
};

// mteval's rules for Western languages, in valid UTF-8: spaces around the punctuation and symbols
// of ASCII except ' , - .
void separate_symbols(std::string& line) {
  separate_each(line, is_ascii_symbol);
}

// Spaces around points and commas except between digits, and around a dash after a digit.
void separate_points_and_dashes(std::string& line) {
  separate_after(line, is_no_digit, is_point_or_comma);
  separate_before(line, is_point_or_comma, is_no_digit);
  separate_after(line, is_digit, is_hyphen);
}

// Takes out the marks of the format that mteval reads.
void remove_markup(std::string& line) {
  replace_all(line, "<skipped>", "");
  replace_all(line, "-\n", "");
  replace_all(line, "\n", " ");
  replace_entities(line);
}

void rewrite_as_13a(std::string& line) {
  remove_markup(line);
  line.insert(line.begin(), ' ');
  line.push_back(' ');
  separate_symbols(line);
  separate_points_and_dashes(line);
}

void rewrite_as_international(std::string& line) {
  const auto is_no_number = [](char32_t character) { return !is_number(character); };
  std::u32string characters = decode_utf8(line);
  separate_after(characters, is_no_number, is_punctuation);
  separate_before(characters, is_punctuation, is_no_number);
  separate_each(characters, is_symbol);
  line = encode_utf8(characters);
}

// The characters that sacreBLEU takes for Chinese. Where its source means U+20000 to U+2A6D6,
// Python reads the texts U+2000 '0' and U+2A6D '6' and compares with them: much that is not Chinese
// stands alone, and the rarer ideographs do not.
constexpr CharacterRange kChinese[] = {
    {0x2001, 0x2A6D}, {0x2E80, 0x2FDF}, {0x2FF0, 0x303F}, {0x3100, 0x312F}, {0x31A0, 0x31BF},
    {0x31C0, 0x31EF}, {0x3200, 0x33FF}, {0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D},
    {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF},
};

void rewrite_as_chinese(std::string& line) {
  line.erase(0, line.size() - without_leading_whitespace(line).size());
  std::u32string characters = decode_utf8(line);
  separate_each(characters, [](char32_t character) { return is_in(kChinese, character); });
  line = encode_utf8(characters);
  separate_symbols(line);
  separate_points_and_dashes(line);
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

constexpr CharacterRange kAsianPunctuation[] = {
    {0x3001, 0x3002}, {0x3008, 0x3011}, {0x3014, 0x301F}, {0x30FB, 0x30FB},
    {0xFF01, 0xFF02}, {0xFF08, 0xFF09}, {0xFF0C, 0xFF0C}, {0xFF0E, 0xFF0E},
    {0xFF1A, 0xFF1B}, {0xFF1F, 0xFF1F}, {0xFF61, 0xFF65},
};

// Ideographs, radicals, strokes, enclosed and compatibility characters, which stand alone beside
// Asian punctuation. Runs of kana stay whole: sacreBLEU's rule for them sees lines of nothing else,
// and a line has a space before it by then.
constexpr CharacterRange kIdeographs[] = {
    {0x2E80, 0x2EFF}, {0x31C0, 0x31EF}, {0x3200, 0x4DBF},
    {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0xFE30, 0xFE4F},
};

bool is_asian_punctuation(char32_t character) {
  return is_in(kAsianPunctuation, character);
}

bool stands_alone(char32_t character) {
  return is_in(kIdeographs, character) || is_asian_punctuation(character);
}

bool is_punctuation_of_tercom(char32_t character) {
  constexpr std::u32string_view kPunctuation = U".,?:;!\"()";
  return kPunctuation.find(character) != std::u32string_view::npos;
}

void normalize_as_tercom(std::string& line) {
  replace_all(line, "\n-", "");
  replace_all(line, "\n", " ");
  replace_entities(line);
  line.insert(line.begin(), ' ');
  line.push_back(' ');
  separate_symbols(line);
  replace_all(line, "'s ", " 's ");
  separate_points_and_dashes(line);
}

void rewrite_characters(const TerOptions& options, std::string& line) {
  std::u32string characters = decode_utf8(line);
  if (options.normalized && options.asian_support) separate_each(characters, stands_alone);
  if (options.no_punctuation) {
    std::erase_if(characters, [&](char32_t character) {
      return is_punctuation_of_tercom(character) ||
             (options.asian_support && is_asian_punctuation(character));
    });
  }
  line = encode_utf8(characters);
}

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

void tokenize_for_ter(const TerOptions& options, std::string& line,
                      std::vector<std::string_view>& words) {
  words.clear();
  line.resize(without_trailing_whitespace(line).size());
  if (line.empty()) return;
  if (!options.case_sensitive) line = lowercase(line);
  if (options.normalized) normalize_as_tercom(line);
  if (options.no_punctuation || options.asian_support) rewrite_characters(options, line);
  split_at_whitespace(line, words);
}

}  // namespace heed
