#include "heed/data/pair_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "heed/core/ascii.h"
#include "heed/core/hash.h"
#include "heed/core/options.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/data/comparison_form.h"
#include "heed/data/copied_parts.h"
#include "heed/text/words.h"

namespace heed::detail {
namespace {

// A script with a smaller share of a side's words (LineFacts::script_words) is unusual on that
// side.
constexpr double kUsualShare = 0.1;
// Letters that a line needs before it can be a copy.
constexpr int64_t kLettersToJudge = 3;
// A line is in an unusual script if at least kScriptWordsToJudge of its words are, and a larger
// share of all its words than kOddShare (names are fewer). For scripts without spaces characters
// are counted, which are shorter than words, so their share is smaller.
constexpr int64_t kScriptWordsToJudge = 4;
constexpr double kOddShare = 0.75, kOddShareUnspaced = 0.5;
// Words that a line needs before its language is judged.
constexpr size_t kWordsToJudge = 4;
// The lengths of short sentences differ by chance: differences up to this number of
// characters of the target are not reported.
constexpr double kFreeCharacters = 20;
// Placeholders, tags and numbers of longer lines are not compared.
constexpr size_t kMaxComparedBytes = size_t{32} << 10;

bool is_question_mark(char32_t character) {
  return character == '?' || character == 0xFF1F || character == 0x061F;
}

// The share of the target's words that occur in its source; 0 if there are too few.
double shared_words(const LineFacts& source, const LineFacts& target) {
  if (target.words.size() < kWordsToJudge) return 0;
  const std::unordered_set<uint64_t> known(source.words.begin(), source.words.end());
  const auto shared = std::count_if(target.words.begin(), target.words.end(),
                                    [&](uint64_t word) { return known.count(word) > 0; });
  return double(shared) / double(target.words.size());
}

using SideStatistics = CorpusStatistics::Side;

// By the frequencies of its words on both sides, whether a line is in the language of the other
// side. A word belongs to the side that uses it much more often; a line needs three times as many
// words of the other side.
bool is_in_other_language(const LineFacts& line, const SideStatistics& own,
                          const SideStatistics& other) {
  if (line.words.size() < kWordsToJudge) return false;
  const auto count_in = [](const SideStatistics& side, uint64_t word) {
    const int64_t* count = side.words.find(word);
    return count ? *count : 0;
  };
  int64_t of_own = 0, of_other = 0;
  for (const uint64_t word : line.words) {
    const int64_t here = count_in(own, word), there = count_in(other, word);
    of_own += here >= 4 * there + 3;
    of_other += there >= 4 * here + 3;
  }
  return of_other >= 3 && of_other > 3 * of_own;
}

// Whether a line has letters of a script that is usual on its side alone. Code with a Chinese
// comment repeats most words of its source, and is translated.
bool has_own_script(const LineFacts& line, const SideStatistics& own, const SideStatistics& other) {
  constexpr int64_t kLetters = 2;
  int64_t letters = 0;
  for (size_t i = 0; i < kScripts; ++i)
    letters += own.usual[i] && !other.usual[i] ? line.letters[i] : 0;
  return letters >= kLetters;
}

bool is_untranslated(const PairFacts& pair, const CorpusStatistics& statistics) {
  const auto& [ratio, source, target] = statistics;
  if (has_own_script(pair.source, source, target) || has_own_script(pair.target, target, source))
    return false;
  const bool has_letters = sum(pair.source.letters) >= kLettersToJudge;
  return (has_letters && shared_words(pair.source, pair.target) > 0.7) ||
         is_in_other_language(pair.target, target, source) ||
         is_in_other_language(pair.source, source, target);
}

// The unusual script that a line is in, if it is in one.
std::optional<Script> odd_script(const LineFacts& line, const SideStatistics& side) {
  ScriptCounts odd = line.script_words;
  for (size_t i = 0; i < kScripts; ++i) odd[i] *= side.usual[i] ? 0 : 1;
  const auto most = Script(std::max_element(odd.begin(), odd.end()) - odd.begin());
  const double share = is_unspaced(most) ? kOddShareUnspaced : kOddShare;
  const bool found =
      sum(odd) >= kScriptWordsToJudge && double(sum(odd)) > share * double(sum(line.script_words));
  return found ? std::optional(most) : std::nullopt;
}

bool is_oddly_long(const PairFacts& pair, const CorpusStatistics& statistics,
                   const InspectionOptions& options) {
  const double expected = double(pair.source.characters) * statistics.ratio;
  return std::abs(double(pair.target.characters) - expected) > kFreeCharacters &&
         statistics.length_ratio_deviation(pair.source, pair.target) > options.max_ratio_deviation;
}

// SentencePiece needs about 100 bytes of memory for each byte of a line, so of very long lines only
// the beginning is encoded, as in training. Lengths below LengthCounts::kMaxBins are exact.
void tokenize(LineFacts& facts, std::string_view line, const Tokenizer& tokenizer,
              int64_t max_tokens) {
  Encoding encoding =
      tokenizer.encode_prefix(trimmed(line), std::max(max_tokens, LengthCounts::kMaxBins));
  facts.tokens = std::move(encoding.ids);
  facts.all_tokens = !encoding.truncated;
}

std::string tokens_text(const LineFacts& line) {
  return fmt::format("{}{}", line.all_tokens ? "" : "more than ", line.tokens.size() + 1);
}

int64_t length_to_limit(const LineFacts& line, const TokenizerPair* tokenizers) {
  return tokenizers ? int64_t(line.tokens.size()) + 1 : int64_t(line.words.size());
}

int64_t count_unknown(const LineFacts& line, const Tokenizer& tokenizer) {
  return std::count(line.tokens.begin(), line.tokens.end(), tokenizer.unknown_id());
}

void find_damage(PairFacts& pair) {
  const auto mark = [&](FindingKind kind, auto LineDamage::*field) {
    pair.mark(kind, pair.source.damage.*field || pair.target.damage.*field);
  };
  mark(FindingKind::invalid_utf8, &LineDamage::invalid);
  mark(FindingKind::replacement_characters, &LineDamage::replaced);
  mark(FindingKind::double_encoded, &LineDamage::double_encoded);
  mark(FindingKind::control_characters, &LineDamage::control);
  mark(FindingKind::carriage_returns, &LineDamage::carriage_return);
  mark(FindingKind::invisible_characters, &LineDamage::invisible);
}

// Placeholders, tags and numbers that one side lacks. Where tags differ, so do the numbers in
// them.
void compare_parts(PairFacts& facts, const RawPair& pair) {
  if (!facts.source.copied_parts && !facts.target.copied_parts) return;
  if (std::max(pair.source.size(), pair.target.size()) > kMaxComparedBytes) return;
  facts.mark(FindingKind::different_placeholders,
             placeholder_difference(pair.source, pair.target).found());
  facts.mark(FindingKind::different_tags, tag_difference(pair.source, pair.target).found());
  if (!facts.has(FindingKind::different_tags))
    facts.mark(FindingKind::different_numbers, number_difference(pair.source, pair.target).found());
}

// "only in the source: %s; only in the target: %d".
std::string described(const PartDifference& difference) {
  constexpr size_t kNamed = 4;
  std::string text;
  const auto add = [&](const char* side, const std::vector<std::string>& parts) {
    if (parts.empty()) return;
    text += fmt::format("{}only in the {}: {}", text.empty() ? "" : "; ", side, parts[0]);
    for (size_t i = 1; i < std::min(kNamed, parts.size()); ++i) text += ", " + parts[i];
    if (parts.size() > kNamed) text += ", …";
  };
  add("source", difference.source_only);
  add("target", difference.target_only);
  return visible(text, 160);
}

// Findings on pairs with two sides that are not empty.
void find_doubts(PairFacts& pair, const CorpusStatistics& statistics,
                 const InspectionOptions& options) {
  const bool unreadable = pair.has(FindingKind::invalid_utf8) ||
                          pair.has(FindingKind::double_encoded) ||
                          pair.has(FindingKind::replacement_characters);
  if (pair.source.fingerprint == pair.target.fingerprint) {
    if (sum(pair.source.letters) > 0) pair.mark(FindingKind::copied_sources);
    return;
  }
  if (is_oddly_long(pair, statistics, options)) pair.mark(FindingKind::length_ratio);
  if (unreadable) return;
  if (odd_script(pair.source, statistics.source) || odd_script(pair.target, statistics.target)) {
    pair.mark(FindingKind::wrong_script);
  } else if (is_untranslated(pair, statistics)) {
    pair.mark(FindingKind::untranslated);
  }
}

}  // namespace

LineFacts facts_of(std::string_view line) {
  LineFacts facts;
  facts.damage = find_damage(line);
  line = trimmed(line);
  facts.fingerprint = line_fingerprint(line);
  for (const std::string_view word : words_of(line)) facts.words.push_back(hash_of(word));
  constexpr int kNoWord = -1;
  int word = kNoWord;  // the script of the current word
  while (!line.empty()) {
    const Utf8Character character = first_utf8_character(line);
    if (const auto script = script_of(character.value)) {
      ++facts.letters[size_t(*script)];
      if (int(*script) != word || is_unspaced(*script)) ++facts.script_words[size_t(*script)];
      word = int(*script);
    } else if (kAsciiWhitespace.find(line.front()) != kAsciiWhitespace.npos) {
      word = kNoWord;
    }
    facts.question = is_question_mark(character.value);
    facts.number |= is_ascii_digit(character.value);
    facts.copied_parts |= begins_copied_part(character.value) ||
                          (character.value >= 0x80 && decimal_digit(character.value));
    ++facts.characters;
    line.remove_prefix(character.bytes);
  }
  return facts;
}

uint64_t PairFacts::fingerprint() const {
  return hash_of(std::array{source.fingerprint, target.fingerprint});
}

CorpusStatistics::CorpusStatistics(const std::vector<RawPair>& sample) {
  ScriptCounts source_scripts{}, target_scripts{};
  std::vector<double> ratios;
  const auto learn = [](const LineFacts& line, SideStatistics& side, ScriptCounts& scripts) {
    for (size_t i = 0; i < kScripts; ++i) scripts[i] += line.script_words[i];
    for (const uint64_t word : line.words) {
      if (int64_t* count = side.words.insert(word, 0)) ++*count;
    }
  };
  for (const RawPair& pair : sample) {
    const LineFacts of_source = facts_of(pair.source), of_target = facts_of(pair.target);
    learn(of_source, source, source_scripts);
    learn(of_target, target, target_scripts);
    if (of_source.characters > 0 && of_target.characters > 0) {
      ratios.push_back(double(of_target.characters) / double(of_source.characters));
    }
  }
  if (!ratios.empty()) {
    const auto middle = ratios.begin() + std::ptrdiff_t(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    ratio = *middle;
  }
  for (size_t i = 0; i < kScripts; ++i) {
    const auto is_usual = [i](const ScriptCounts& scripts) {
      return double(scripts[i]) >= kUsualShare * double(sum(scripts));
    };
    source.usual[i] = is_usual(source_scripts);
    target.usual[i] = is_usual(target_scripts);
  }
}

double CorpusStatistics::length_ratio_deviation(const LineFacts& of_source,
                                                const LineFacts& of_target) const {
  const double expected = std::max(1.0, double(of_source.characters) * ratio);
  const double length = std::max(1.0, double(of_target.characters));
  return std::max(length / expected, expected / length);
}

PairFacts examine(const RawPair& pair, const CorpusStatistics& statistics,
                  const InspectionOptions& options, const TokenizerPair* tokenizers) {
  PairFacts facts;
  if (!pair.complete) {
    facts.mark(FindingKind::missing_column);
    return facts;
  }
  facts.source = facts_of(pair.source);
  facts.target = facts_of(pair.target);
  if (tokenizers) {
    tokenize(facts.source, pair.source, tokenizers->source(), options.max_sentence_tokens);
    tokenize(facts.target, pair.target, tokenizers->target(), options.max_sentence_tokens);
  }
  find_damage(facts);
  facts.mark(FindingKind::extra_columns, pair.columns > pair.usual_columns);
  if (facts.source.words.empty() || facts.target.words.empty()) {
    facts.mark(FindingKind::empty);
    return facts;
  }
  find_doubts(facts, statistics, options);
  compare_parts(facts, pair);
  facts.mark(FindingKind::too_long,
             !facts.source.all_tokens || !facts.target.all_tokens ||
                 std::max(length_to_limit(facts.source, tokenizers),
                          length_to_limit(facts.target, tokenizers)) > options.max_sentence_tokens);
  facts.mark(FindingKind::unknown_tokens,
             tokenizers && count_unknown(facts.source, tokenizers->source()) +
                                   count_unknown(facts.target, tokenizers->target()) >
                               0);
  return facts;
}

std::string note_on(FindingKind kind, const RawPair& pair, const PairFacts& facts,
                    const CorpusStatistics& statistics) {
  constexpr size_t kShown = 80;
  switch (kind) {
    case FindingKind::length_ratio:
      return fmt::format("the length ratio is off by a factor of {:.1f}",
                         statistics.length_ratio_deviation(facts.source, facts.target));
    case FindingKind::wrong_script: {
      const auto source = odd_script(facts.source, statistics.source);
      const auto script = source ? source : odd_script(facts.target, statistics.target);
      return fmt::format("the {} is {}", source ? "source" : "target", to_text(*script));
    }
    case FindingKind::untranslated:
      return is_in_other_language(facts.source, statistics.source, statistics.target)
                 ? "the source uses the target's words"
                 : "the target uses the source's words";
    case FindingKind::double_encoded: {
      const bool source = facts.source.damage.double_encoded;
      const std::string repaired = repair_double_encoding(source ? pair.source : pair.target);
      return "was: " + visible(repaired, kShown);
    }
    case FindingKind::invalid_utf8: {
      const auto in_source = find_invalid_utf8(pair.source);
      const auto at = in_source ? in_source : find_invalid_utf8(pair.target);
      return fmt::format("byte {} of the {}", at.value_or(0) + 1, in_source ? "source" : "target");
    }
    case FindingKind::extra_columns:
      return fmt::format("{} columns, most lines have {}", pair.columns, pair.usual_columns);
    case FindingKind::invisible_characters: {
      const bool in_source = facts.source.damage.invisible != 0;
      const LineFacts& line = in_source ? facts.source : facts.target;
      return fmt::format("U+{:04X} in the {}", uint32_t(line.damage.invisible),
                         in_source ? "source" : "target");
    }
    case FindingKind::different_placeholders:
      return described(placeholder_difference(pair.source, pair.target));
    case FindingKind::different_tags:
      return described(tag_difference(pair.source, pair.target));
    case FindingKind::different_numbers:
      return described(number_difference(pair.source, pair.target));
    case FindingKind::too_long:  // in words if there is no tokenizer
      if (facts.source.tokens.empty())
        return fmt::format("{} and {} words", facts.source.words.size(), facts.target.words.size());
      return fmt::format("{} and {} tokens", tokens_text(facts.source), tokens_text(facts.target));
    default:
      return "";
  }
}

}  // namespace heed::detail
