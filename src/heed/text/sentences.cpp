#include "heed/text/sentences.h"

#include <algorithm>
#include <optional>

#include "heed/core/scripts.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/text/language_codes.h"
#include "heed/text/sentence_ends.h"

namespace heed {
namespace {

using detail::Mark;
using detail::mark_of;

bool is_in(std::u32string_view set, char32_t character) {
  return set.find(character) != set.npos;
}

constexpr std::u32string_view kClosingBrackets = U")]}）］｝】〕〗〙〛》〉";
constexpr std::u32string_view kClosingQuotes = U"”’」』»›〟｣";
// Close a quote in some language: „Ja.“ »Ja.« "Ja."
constexpr std::u32string_view kAnyQuotes = U"\"'“‘«‹”’」』»›〟｣";
constexpr std::u32string_view kOpening = U"([{<\"'“‘«‹„‚¿¡–—";
constexpr std::u32string_view kCommas = U",;:،؛，、；：";

// Consecutive marks.
struct Run {
  size_t begin, end;
  bool stop = false, question = false, ellipsis = false, wide = false;
};

// Quotes and brackets after a run.
struct Closing {
  size_t end;
  bool quote = false, bracket = false;
};

// The text behind the white space after a run, without quotes, dashes and symbols.
struct Ahead {
  enum Kind { none, lowercase, letter, number } kind;
  size_t at;
};

// Finds the sentences of a line without white space at its ends.
class SentenceFinder {
 public:
  explicit SentenceFinder(std::string_view line) : line_(line) {}

  // The end of the sentence at `begin`.
  size_t end_of(size_t begin) {
    for (size_t here = begin; here < line_.size();) {
      const char byte = line_[here];
      if (byte == '"') quoted_ = !quoted_;
      if ((byte & 0x80) == 0 && byte != '.' && byte != '!' && byte != '?' && byte != ';') {
        ++here;
        continue;
      }
      const Run run = run_at(begin, here);
      if (run.end == here) {
        here += size_at(here);
        continue;
      }
      if (const auto end = end_after(begin, run)) {
        if (std::count(line_.begin() + run.end, line_.begin() + *end, '"') % 2 != 0)
          quoted_ = !quoted_;
        return *end;
      }
      here = run.end;
    }
    return line_.size();
  }

 private:
  char32_t at(size_t position) const { return first_utf8_character(line_.substr(position)).value; }
  size_t size_at(size_t position) const {
    return first_utf8_character(line_.substr(position)).bytes;
  }
  // 0 at the beginning of the sentence.
  char32_t before(size_t begin, size_t position) const {
    return position == begin ? 0 : last_utf8_character(line_.substr(begin, position - begin)).value;
  }

  Run run_at(size_t begin, size_t position) const {
    Run run{position, position};
    int full_stops = 0;
    char32_t previous = before(begin, position);
    while (run.end < line_.size()) {
      const Utf8Character character = first_utf8_character(line_.substr(run.end));
      const Mark mark = mark_of(character.value, previous);
      if (mark == Mark::none) break;
      if (mark == Mark::full_stop) ++full_stops;
      if (mark == Mark::ellipsis) run.ellipsis = true;
      if (mark == Mark::question || mark == Mark::wide_question) run.question = true;
      if (mark == Mark::wide_stop) run.stop = true;
      if (mark == Mark::wide_stop || mark == Mark::wide_question) run.wide = true;
      previous = character.value;
      run.end += character.bytes;
    }
    run.stop = run.stop || full_stops == 1;
    run.ellipsis = run.ellipsis || full_stops > 1;
    return run;
  }

  // In Chinese and Japanese, quotes that open may follow directly.
  enum class Quotes { closing, any };
  Closing closing_after(const Run& run, Quotes quotes) const {
    Closing closing{run.end};
    bool quoted = quoted_;
    while (closing.end < line_.size()) {
      const Utf8Character character = first_utf8_character(line_.substr(closing.end));
      const bool bracket = is_in(kClosingBrackets, character.value);
      bool quote = is_in(quotes == Quotes::any ? kAnyQuotes : kClosingQuotes, character.value);
      if (quotes == Quotes::closing && character.value == U'"') {
        const size_t after = closing.end + 1;
        quote = quoted || after == line_.size() || is_whitespace(at(after));
        quoted = false;
      }
      if (!bracket && !quote) {
        const size_t note = end_of_note(closing.end);
        if (note == closing.end) break;
        closing.end = note;
        continue;
      }
      closing.quote = closing.quote || quote;
      closing.bracket = closing.bracket || bracket;
      closing.end += character.bytes;
    }
    return closing;
  }

  // After a reference such as [12].
  size_t end_of_note(size_t position) const {
    constexpr size_t kMaxDigits = 4;
    if (line_[position] != '[') return position;
    const size_t end = std::min(line_.find_first_not_of("0123456789", position + 1), line_.size());
    const bool is_note = end > position + 1 && end - position - 1 <= kMaxDigits &&
                         end < line_.size() && line_[end] == ']';
    return is_note ? end + 1 : position;
  }

  // After a » that a space separates from the run, as in French; otherwise `position`.
  size_t end_of_spaced_quote(size_t position) const {
    const size_t quote = position + size_at(position);
    if (quote >= line_.size() || at(quote) != U'»') return position;
    const size_t end = quote + size_at(quote);
    return end == line_.size() || is_whitespace(at(end)) ? end : position;
  }

  Ahead ahead_of(size_t position) const {
    for (size_t here = position; here < line_.size(); here += size_at(here)) {
      const char32_t c = at(here);
      if (is_whitespace(c) || is_in(kOpening, c)) continue;
      // ">>fra<< Green": the sentence begins with its language, whatever letters that has.
      if (const size_t code = leading_language_code(line_.substr(here)).size(); code > 0) {
        here += code - 1;  // its last '<' is skipped by the loop
        continue;
      }
      if (mark_of(c, U' ') != Mark::none || is_in(kCommas, c) || is_in(kClosingBrackets, c)) break;
      if (is_punctuation(c) || is_symbol(c)) continue;
      if (is_number(c)) return {Ahead::number, here};
      // Georgian letters are in this category, and begin sentences.
      const bool lower = is_lowercase(c) && script_of(c) != Script::georgian;
      return {lower ? Ahead::lowercase : Ahead::letter, here};
    }
    return {Ahead::none, line_.size()};
  }

  // Where the sentence ends after these marks, if it does.
  std::optional<size_t> end_after(size_t begin, const Run& run) const {
    const char32_t previous = before(begin, run.begin);
    const bool chinese = previous != 0 && is_chinese_or_japanese(previous);
    Closing closing = closing_after(run, run.wide || chinese ? Quotes::closing : Quotes::any);
    if (closing.end == line_.size()) return closing.end;
    const char32_t next = at(closing.end);
    if (!is_whitespace(next)) {
      const bool ends =
          run.wide || (chinese && is_chinese_or_japanese(next) && (run.question || closing.quote));
      if (!ends || continues_directly(run, closing, previous)) return std::nullopt;
      return closing.end;
    }
    closing.end = end_of_spaced_quote(closing.end);
    if (closing.end == line_.size()) return closing.end;
    const Ahead ahead = ahead_of(closing.end);
    if (ahead.kind == Ahead::none) return std::nullopt;
    if (run.wide) return closing.end;
    if (ahead.kind == Ahead::lowercase) return std::nullopt;
    if (run.question) return closing.end;
    const bool ends = run.ellipsis ? ends_with_ellipsis(ahead) : ends_with_stop(begin, run, ahead);
    return ends ? std::optional(closing.end) : std::nullopt;
  }

  // Whether a sentence goes on after marks without white space.
  bool continues_directly(const Run& run, const Closing& closing, char32_t previous) const {
    const char32_t next = at(closing.end);
    if (mark_of(next, U' ') != Mark::none || is_in(kCommas, next)) return true;
    if (previous != 0 && is_number(previous) && is_number(next)) return true;
    // (Really?) and titles such as 《Hi, Mom!》
    if (closing.bracket && !run.stop) return true;
    const bool hiragana = next >= 0x3041 && next <= 0x309F;  // 「はい。」と言った
    return closing.quote && (hiragana || is_attribution(closing.end));
  }

  // “好！”他说。 Not an introduction: “好！”他说：“走吧！”
  bool is_attribution(size_t position) const {
    constexpr int kMaxCharacters = 12;
    bool said = false;
    for (int i = 0; i < kMaxCharacters && position < line_.size(); ++i) {
      const char32_t c = at(position);
      if (is_punctuation(c)) return said && c != U'：' && c != U':';
      said = said || is_in(U"说說道问問喊叫答嚷吼", c);
      position += size_at(position);
    }
    return said;
  }

  // "..." is also a pause; before a number or "I" nothing tells which.
  bool ends_with_ellipsis(const Ahead& ahead) const {
    if (ahead.kind == Ahead::number) return false;
    const std::string_view rest = line_.substr(ahead.at);
    return !(rest.starts_with("I") && (rest.size() == 1 || is_whitespace(at(ahead.at + 1)) ||
                                       rest[1] == '\'' || rest.starts_with("I’")));
  }

  // The word of a full stop: letters and digits with full stops and hyphens between them, not
  // longer than an abbreviation may be.
  std::string_view word_before(size_t begin, size_t end) const {
    constexpr size_t kMaxBytes = 32;
    size_t first = end;
    while (first > begin && end - first < kMaxBytes) {
      const Utf8Character c = last_utf8_character(line_.substr(begin, first - begin));
      const bool apostrophe = c.value == U'\'';  // Mary's
      if (is_whitespace(c.value) || (is_in(kOpening, c.value) && !apostrophe)) break;
      if (first < end && is_chinese_or_japanese(c.value)) break;
      first -= c.bytes;
    }
    while (first < end && line_[first] == '\'') ++first;
    return line_.substr(first, end - first);
  }

  bool ends_with_stop(size_t begin, const Run& run, const Ahead& ahead) const {
    const std::string_view word = word_before(begin, run.begin);
    if (word.empty()) return true;
    const char32_t last = last_utf8_character(word).value;
    const std::optional<Script> script = script_of(last);
    if (script == Script::thai || script == Script::lao) return false;  // only in abbreviations
    if (is_unspaced(last)) return true;
    const size_t word_begin = run.begin - word.size();
    if (word.find_first_not_of("0123456789.") == word.npos || is_roman_number(word))
      return ends_with_number(begin, word_begin, word, ahead);
    return !is_abbreviated(word, ahead);
  }

  static bool is_roman_number(std::string_view word) {
    return word.size() <= 6 && (word.find_first_not_of("IVX") == word.npos ||
                                word.find_first_not_of("ivx") == word.npos);
  }

  bool ends_with_number(size_t begin, size_t word_begin, std::string_view word,
                        const Ahead& ahead) const {
    constexpr size_t kMaxOrdinalDigits = 2;
    const bool roman = is_roman_number(word);
    const std::string_view previous = previous_word(begin, word_begin);
    if (previous.empty()) return false;  // 1. First
    if (roman && word.size() == 1) return false;
    const size_t point = word.rfind('.');
    if (!roman && (point == word.npos ? word : word.substr(point + 1)).size() > kMaxOrdinalDigits)
      return true;
    if (ahead.kind == Ahead::number || previous.ends_with(':')) return false;
    return !detail::precedes_ordinal(lowercase(previous)) &&
           !detail::follows_ordinal(lowercase(word_at(ahead.at)));
  }

  // The word before a position; empty if there is no letter or number before it in the sentence.
  std::string_view previous_word(size_t begin, size_t position) const {
    while (position > begin) {
      const std::string_view word = word_before(begin, position);
      const bool has_letter = std::any_of(word.begin(), word.end(), [](char byte) {
        return (byte & 0x80) != 0 || !(is_ascii_punctuation(byte) || byte == ' ');
      });
      if (has_letter) return word;
      position -= word.size();
      if (position > begin)
        position -= last_utf8_character(line_.substr(begin, position - begin)).bytes;
    }
    return {};
  }

  std::string_view word_at(size_t begin) const {
    constexpr size_t kMaxBytes = 32;
    size_t end = begin;
    while (end < line_.size() && end - begin < kMaxBytes) {
      const char32_t c = at(end);
      if (is_whitespace(c) || is_punctuation(c)) break;
      end += size_at(end);
    }
    return line_.substr(begin, end - begin);
  }

  // Whether the last full stop is that of an abbreviation.
  static bool is_abbreviated(std::string_view word, const Ahead& ahead) {
    constexpr size_t kMaxLetters = 3;  // between two full stops: Ph.D.
    if (word.find('.') != word.npos && word.find_first_of("0123456789") == word.npos) {
      size_t longest = 0;
      for (std::string_view rest = word; !rest.empty();) {
        const size_t end = std::min(rest.find('.'), rest.size());
        longest = std::max(longest, decode_utf8(rest.substr(0, end)).size());
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      if (longest <= kMaxLetters) return true;
    }
    const std::string_view last = word.substr(word.find_last_of(".-") + 1);  // npos + 1 is 0
    if (last.empty()) return false;
    const Utf8Character first = first_utf8_character(last);
    const bool letter =
        !is_punctuation(first.value) && !is_symbol(first.value) && !is_number(first.value);
    if (first.bytes == last.size() && letter) return true;              // J. Smith, z. B.
    const std::string_view elided = last.substr(last.rfind('\'') + 1);  // l'art. 5
    for (const std::string& lower : {lowercase(word), lowercase(last), lowercase(elided)})
      if (detail::is_abbreviation(lower) ||
          (ahead.kind == Ahead::number && detail::is_abbreviation_before_number(lower)))
        return true;
    return false;
  }

  const std::string_view line_;
  bool quoted_ = false;  // an odd number of '"' so far
};

// Whether no space is needed beside this end of a text: a Chinese or Japanese character, also
// within quotation marks that other scripts share.
bool needs_no_space(std::string_view text, Utf8Character (*character_at_end)(std::string_view),
                    void (*drop)(std::string_view&, size_t)) {
  while (!text.empty()) {
    const Utf8Character character = character_at_end(text);
    if (!is_in(U"“”‘’…—", character.value)) return is_chinese_or_japanese(character.value);
    drop(text, character.bytes);
  }
  return false;
}

bool begins_without_space(std::string_view text) {
  return needs_no_space(text, first_utf8_character,
                        [](std::string_view& rest, size_t bytes) { rest.remove_prefix(bytes); });
}

bool ends_without_space(std::string_view text) {
  return needs_no_space(text, last_utf8_character,
                        [](std::string_view& rest, size_t bytes) { rest.remove_suffix(bytes); });
}

// A space, or the wide one of Chinese, or one that does not break.
bool is_at_most_a_space(std::string_view white_space) {
  if (white_space.empty()) return true;
  const Utf8Character character = first_utf8_character(white_space);
  return character.bytes == white_space.size() && is_in(U" \u3000\u00A0\u202F", character.value);
}

// The length of the line break at the beginning of a text; 0 if there is none.
size_t line_break(std::string_view text) {
  const char byte = text[0];
  if (byte >= '\n' && byte <= '\r') return 1;
  if ((byte & 0x80) == 0) return 0;
  if (text.starts_with("\xC2\x85")) return 2;
  return text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9") ? 3 : 0;
}

// Calls use(line) for each line, without its line break; lines may be empty.
template <class Use>
void for_each_line(std::string_view text, const Use& use) {
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = line_break(text.substr(at));
    if (bytes > 0) {
      use(text.substr(begin, at - begin));
      begin = at + bytes;
    }
    at += std::max<size_t>(bytes, 1);
  }
  use(text.substr(begin));
}

}  // namespace

SplitDocument split_document(std::string_view text, TextUnit unit) {
  SplitDocument split;
  const char* end = text.data();  // of the latest sentence
  const auto add = [&](std::string_view sentence) {
    split.sentences.push_back({{end, size_t(sentence.data() - end)}, sentence});
    end = sentence.data() + sentence.size();
  };
  for_each_line(text, [&](std::string_view line) {
    line = without_trailing_whitespace(without_leading_whitespace(line));
    if (unit == TextUnit::lines) {
      if (!line.empty()) add(line);
      return;
    }
    SentenceFinder finder(line);
    for (size_t begin = 0; begin < line.size();) {
      const size_t length = finder.end_of(begin) - begin;
      add(line.substr(begin, length));
      begin = line.size() - without_leading_whitespace(line.substr(begin + length)).size();
    }
  });
  split.after = {end, size_t(text.data() + text.size() - end)};
  return split;
}

std::string join_sentences(const std::vector<TextSentence>& translations, std::string_view after) {
  std::string text;
  std::string_view left;  // the latest translation that is not empty
  for (const TextSentence& sentence : translations) {
    const bool first = &sentence == &translations.front();
    if (first || !is_at_most_a_space(sentence.before)) {
      text += sentence.before;
      left = {};
    }
    if (sentence.text.empty()) continue;
    if (!left.empty() && !ends_without_space(left) && !begins_without_space(sentence.text))
      text += ' ';
    text += sentence.text;
    left = sentence.text;
  }
  return text.append(after);
}

}  // namespace heed
