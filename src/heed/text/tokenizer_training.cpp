#include "heed/text/tokenizer_training.h"

#include <fmt/ranges.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heed/core/error.h"
#include "heed/core/options.h"
#include "heed/core/rng.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/text/language_codes.h"
#include "heed/text/lines.h"
#include "heed/text/normalizer.h"
#include "heed/text/parallel_text.h"
#include "heed/text/sentencepiece_model.h"
#include "heed/text/user_symbols.h"
#include "heed/text/vocabulary.h"

namespace heed {
namespace {

// Not the number of CPUs: sums over threads must be the same on every machine.
constexpr int kThreads = 2;
// SentencePiece's own limit. It skips longer lines, so we split them.
constexpr size_t kMaxSentenceBytes = 4192;

// Where to split a text of more than `limit` bytes: after the last space, else between characters.
size_t cut_position(std::string_view text, size_t limit) {
  const size_t space = text.rfind(' ', limit - 1);
  if (space != text.npos && space > 0) return space + 1;
  size_t cut = limit;
  while (cut > 1 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return cut;
}

// U+2585, which SentencePiece reserves: it skips lines that have it.
constexpr std::string_view kReservedCharacter = "\u2585";

// Makes a line of text one whose characters SentencePiece learns. It would leave out those of its
// own symbols.
void spell_out_symbols(std::string& line) {
  replace_all(line, kReservedCharacter, " ");
  for (const std::string_view symbol : {kEndPiece, kUnknownPiece})
    replace_all(line, symbol, fmt::format("{} {}", symbol.substr(0, 1), symbol.substr(1)));
}

// The text to learn from, and what becomes of its characters before SentencePiece sees them.
struct LearnedText {
  TextFiles files;
  std::vector<const Normalizer*> normalizers = {};  // of each file; empty for none
  const std::vector<bool>& kept;
  int64_t lines = 0;  // those that `kept` has
};

// The lines of the files that are kept, in order, and which of them a sample has (selection
// sampling: a line is taken with the probability wanted_ / left_, so nothing is stored).
class SampledLines {
 public:
  SampledLines(const LearnedText& text, const TokenizerOptions& options)
      : text_(text),
        left_(text.lines),
        wanted_(std::min(text.lines, options.lines())),
        random_(options.seed) {}

  // The next line, of the sample or not. False after the last one.
  bool next(std::string& line) {
    while (left_ > 0) {
      if (reader_ && reader_->next(line)) {
        if (!text_.kept.empty() && !text_.kept[lines_++ % text_.kept.size()]) continue;
        is_sampled_ = wanted_ > 0 && random_.below(uint64_t(left_)) < uint64_t(wanted_);
        wanted_ -= is_sampled_ ? 1 : 0;
        --left_;
        has_reserved_ |= line.find(kReservedCharacter) != line.npos;
        return true;
      }
      if (file_ == text_.files.size()) fail("{} became shorter while it was read", reader_->name());
      reader_.emplace(text_.files[file_++].lines());
    }
    return false;
  }

  bool is_sampled() const { return is_sampled_; }
  // Whether lines of the sample follow.
  bool has_more() const { return wanted_ > 0; }
  // The normalizer of the last line, applied before SentencePiece; null for none.
  const Normalizer* normalizer() const {
    return text_.normalizers.empty() ? nullptr : text_.normalizers[file_ - 1];
  }
  // Whether a line so far had kReservedCharacter.
  bool has_reserved() const { return has_reserved_; }

 private:
  const LearnedText& text_;
  int64_t left_;    // kept lines that are not read yet
  int64_t wanted_;  // lines of the sample that are not taken yet
  Random random_;
  bool is_sampled_ = false, has_reserved_ = false;
  size_t lines_ = 0;  // read
  size_t file_ = 0;
  std::optional<LineReader> reader_;
};

// Gives the sample, and then `more`, a line of its own, as sentences.
class SampledSentences : public sentencepiece::SentenceIterator {
 public:
  SampledSentences(const LearnedText& text, const TokenizerOptions& options, std::string more = {})
      : lines_(text, options), more_(std::move(more)) {
    Next();
  }

  bool done() const override { return sentence_.empty(); }
  const std::string& value() const override { return sentence_; }
  sentencepiece::util::Status status() const override { return {}; }

  // SentencePiece does not support exceptions: one is kept here until training has returned.
  void Next() override {
    sentence_.clear();
    try {
      if (rest_.empty() && !take_line()) return;
      const size_t cut =
          rest_.size() <= kMaxSentenceBytes ? rest_.size() : cut_position(rest_, kMaxSentenceBytes);
      sentence_ = rest_.substr(0, cut);
      rest_.remove_prefix(cut);
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }
  // Whether a line so far had kReservedCharacter.
  bool has_reserved() const { return lines_.has_reserved(); }

 private:
  // Makes rest_ the next line that is not empty.
  bool take_line() {
    while (lines_.has_more() && lines_.next(line_)) {
      if (!lines_.is_sampled()) continue;
      line_ = with_plain_spaces(line_);
      if (lines_.normalizer()) line_ = lines_.normalizer()->normalize(line_);
      spell_out_symbols(line_);
      rest_ = line_;
      if (!rest_.empty()) return true;
    }
    line_ = std::exchange(more_, {});
    rest_ = line_;
    return !rest_.empty();
  }

  SampledLines lines_;
  std::string more_;
  std::string line_;
  std::string sentence_;   // empty after the last one
  std::string_view rest_;  // of the line
  std::exception_ptr error_;
};

// The language codes that the lines of a multilingual text begin with; none where most of the first
// lines have none.
std::set<std::string> language_codes_of(const TextFiles& files) {
  constexpr int64_t kFirstLines = 1000;
  constexpr size_t kMaxCodes = 1000;
  std::set<std::string> codes;
  std::string line;
  for (const TextFile& file : files) {
    LineReader reader = file.lines();
    std::set<std::string> of_file;
    int64_t lines = 0, with_code = 0;
    while (reader.next(line) && of_file.size() <= kMaxCodes) {
      const std::string_view code = leading_language_code(line);
      if (!code.empty()) of_file.emplace(code);
      with_code += code.empty() ? 0 : 1;
      if (++lines == kFirstLines && 2 * with_code < lines) break;
    }
    if (2 * with_code >= lines && of_file.size() <= kMaxCodes) codes.merge(of_file);
  }
  return codes;
}

// The texts that are pieces of their own: language codes, and what the options name.
std::set<std::string> whole_symbols(const TextFiles& files, const TokenizerOptions& options) {
  std::set<std::string> symbols = language_codes_of(files);
  symbols.insert(options.more_symbols.begin(), options.more_symbols.end());
  if (options.user_symbols.empty()) return symbols;
  for (std::string& symbol : read_user_symbols(options.user_symbols))
    symbols.insert(std::move(symbol));
  return symbols;
}

// As a list of SentencePiece: comma-separated values, in quotes where they have a comma or a quote.
std::string symbol_list(const std::set<std::string>& symbols) {
  std::string list;
  for (const std::string& symbol : symbols) {
    const bool plain = symbol.find_first_of(",\"") == symbol.npos;
    if (!list.empty()) list += ',';
    std::string quoted = symbol;
    replace_all(quoted, "\"", "\"\"");
    list += plain ? symbol : fmt::format("\"{}\"", quoted);
  }
  return list;
}

using Arguments = std::unordered_map<std::string, std::string>;

Arguments arguments(const TokenizerOptions& options) {
  const bool limited =
      options.kind == TokenizerKind::word || options.kind == TokenizerKind::character;
  Arguments all{{"model_type", to_text(options.kind)},
                {"vocab_size", std::to_string(options.size() - 1)},  // without <pad>
                {"character_coverage", fmt::format("{}", options.character_coverage)},
                {"byte_fallback", options.byte_fallback ? "true" : "false"},
                {"normalization_rule_name",
                 detail::normalization_name(options.normalization, options.lowercase)},
                {"hard_vocab_limit", limited ? "false" : "true"},
                {"eos_id", "0"},
                {"unk_id", "1"},
                {"bos_id", "-1"},
                {"pad_id", "-1"},
                {"num_threads", std::to_string(kThreads)},
                {"max_sentence_length", std::to_string(kMaxSentenceBytes)},
                {"minloglevel", "3"}};
  // A model has the settings that it was asked for in its bytes.
  if (options.split_digits) all["split_digits"] = "true";
  return all;
}

// The number after `words` in a message of SentencePiece; 0 if there is none.
int64_t number_after(std::string_view message, std::string_view words) {
  const size_t found = message.find(words);
  int64_t number = 0;
  if (found != message.npos) {
    message.remove_prefix(found + words.size());
    std::from_chars(message.data(), message.data() + message.size(), number);
  }
  return number;
}

// The names of the files, for a message: two of them at most.
std::string names_of(const TextFiles& files) {
  std::string names = files.front().name();
  if (files.size() > 1) names += (files.size() == 2 ? " and " : ", ") + files[1].name();
  if (files.size() > 2) names += fmt::format(" and {} more files", files.size() - 2);
  return names;
}

[[noreturn]] void fail_too_few(const TokenizerOptions& options, const TextFiles& files,
                               int64_t needed) {
  fail(
      "{}: a vocabulary of {} ids is too small for the characters of the text (at least {} ids are "
      "needed); raise --vocabulary-size or lower --character-coverage",
      names_of(files), options.size(), needed);
}

[[noreturn]] void explain(const TokenizerOptions& options, const TextFiles& files,
                          std::string_view message) {
  if (const int64_t most = number_after(message, "set it to a value <= "); most > 0) {
    fail(
        "{}: the text is too small for a vocabulary of {} ids: at most {} are possible; lower "
        "--vocabulary-size or give more text",
        names_of(files), options.size(), most + 1);
  }
  if (message.find("smaller than required_chars") != message.npos) {
    fail_too_few(options, files, number_after(message, "vs ") + 1);
  }
  if (message.find("sentences_.empty()") != message.npos)
    fail("{}: no text to learn a tokenizer from, but white space", names_of(files));
  fail("{}: SentencePiece cannot learn a vocabulary of {} ids: {}", names_of(files), options.size(),
       message);
}

std::string learn_from(const LearnedText& text, const TokenizerOptions& options,
                       const Arguments& settings, SampledSentences& sentences) {
  sentences.rethrow();
  if (sentences.done()) fail("{}: no text to learn a tokenizer from", text.files.front().name());
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &sentences, &model);
  sentences.rethrow();
  if (!status.ok()) explain(options, text.files, status.message());
  return model;
}

int64_t pieces_of(const std::string& model) {
  int64_t pieces = 0;
  detail::all_fields(model, [&](const detail::Field& field) {
    pieces += field.number == detail::kPieceField;
    return true;
  });
  return pieces;
}

// Error if a vocabulary of characters has fewer than the text needs, which SentencePiece accepts.
void expect_all_characters(const LearnedText& text, const TokenizerOptions& options,
                           Arguments settings, const std::string& model) {
  const bool may_lack = options.kind == TokenizerKind::character &&
                        options.character_coverage == 1 && pieces_of(model) == options.size() - 1;
  if (!may_lack) return;
  constexpr int64_t kAllCharacters = 0x110000;
  settings["vocab_size"] = std::to_string(kAllCharacters);
  SampledSentences sentences(text, options);
  const int64_t needed = pieces_of(learn_from(text, options, settings, sentences)) + 1;
  if (needed > options.size()) fail_too_few(options, text.files, needed);
}

// Adds what readers see as the characters of a line: what normalization changes is not longer.
void add_graphemes(std::string_view line, std::set<std::string, std::less<>>& all) {
  while (!line.empty()) {
    const bool is_ascii = line.size() == 1 || (uint8_t(line[0]) < 0x80 && uint8_t(line[1]) < 0x80);
    const std::string_view grapheme = line.substr(0, is_ascii ? 1 : first_grapheme_bytes(line));
    if (!all.contains(grapheme)) all.emplace(grapheme);
    line.remove_prefix(grapheme.size());
  }
}

// The characters of pieces that spell these graphemes.
void add_characters(const std::set<std::string, std::less<>>& graphemes,
                    const Normalizer& normalizer, std::set<char32_t>& all) {
  for (const std::string& grapheme : graphemes) {
    const std::string normalized = normalizer.normalize(grapheme);
    for (std::string_view rest = normalized; !rest.empty();) {
      const Utf8Character character = first_utf8_character(rest);
      if (!is_whitespace(character.value)) all.insert(character.value);
      rest.remove_prefix(character.bytes);
    }
  }
}

// The characters of the text that its sample lacks, where each is to have a piece; with a space
// before each, so that nothing is learned of their order. (SentencePiece 0.1.97 ends the program
// where its option for this, required_chars, meets BPE.)
struct UnsampledCharacters {
  std::string characters;
  bool has_reserved = false;
};

UnsampledCharacters unsampled_characters(const LearnedText& text, const TokenizerOptions& options) {
  if (options.lines() >= text.lines || options.character_coverage < 1 ||
      options.kind == TokenizerKind::word)
    return {};
  const Normalizer by_sentencepiece(options.normalization, options.lowercase);
  // By the normalizer of a line: those of the sample, and all others.
  std::map<const Normalizer*, std::array<std::set<std::string, std::less<>>, 2>> graphemes;
  SampledLines lines(text, options);
  for (std::string line; lines.next(line);) {
    const Normalizer* normalizer = lines.normalizer();
    auto& [others, sampled] = graphemes[normalizer ? normalizer : &by_sentencepiece];
    add_graphemes(with_plain_spaces(line), lines.is_sampled() ? sampled : others);
  }
  std::set<char32_t> known, all;
  for (const auto& [normalizer, found] : graphemes) {
    add_characters(found[0], *normalizer, all);
    add_characters(found[1], *normalizer, known);
  }
  UnsampledCharacters lacking{{}, lines.has_reserved()};
  for (const char32_t character : all)
    if (!known.contains(character)) append_utf8(lacking.characters += ' ', character);
  replace_all(lacking.characters, kSpaceSymbol, "");
  replace_all(lacking.characters, kReservedCharacter, "");
  return lacking;
}

std::string learn(const LearnedText& text, const TokenizerOptions& options) {
  Arguments settings = arguments(options);
  const UnsampledCharacters lacking = unsampled_characters(text, options);
  std::set<std::string> symbols = whole_symbols(text.files, options);
  if (!symbols.empty()) settings["user_defined_symbols"] = symbol_list(symbols);
  SampledSentences sentences(text, options, lacking.characters);
  std::string model = learn_from(text, options, settings, sentences);
  if (sentences.has_reserved() || lacking.has_reserved) {
    symbols.emplace(kReservedCharacter);
    settings["user_defined_symbols"] = symbol_list(symbols);
    SampledSentences again(text, options, lacking.characters);
    model = learn_from(text, options, settings, again);
  }
  expect_all_characters(text, options, settings, model);
  return model;
}

// Learns of text that SentencePiece normalizes, or that is normalized by heed's rules before it.
std::string learn_side(LearnedText text, const TokenizerOptions& options) {
  if (options.normalization != Normalization::identity) return learn(text, options);
  const Normalizer rules(options.normalization, options.lowercase);
  text.normalizers.assign(text.files.size(), &rules);
  return detail::with_normalizer(learn(text, options), rules.specification());
}

LearnedText text_to_learn(TextFiles files, const std::vector<bool>& kept) {
  if (files.empty()) fail_usage("a tokenizer needs text; no file was given");
  LearnedText text{.files = std::move(files), .kept = kept};
  for (const TextFile& file : text.files) {
    const TextSurvey found = survey(file);
    if (kept.empty() && found.faults.count() > 0)
      fail("{}; convert the file to UTF-8", found.faults.first);
    text.lines += found.lines;
  }
  if (kept.empty()) return text;
  const auto side = int64_t(kept.size());
  check(text.lines % side == 0, "lines are kept or left out by the side");
  text.lines = text.lines / side * std::count(kept.begin(), kept.end(), true);
  if (text.lines == 0)
    fail(
        "no pair of the corpus passes the filters that look at words (what stands between "
        "spaces): raise --max-words or lower --min-word-count");
  return text;
}

}  // namespace

void check_consistent(const TokenizerOptions& options) {
  validate(options);
  constexpr Normalization kNone = Normalization::identity;
  if (options.lowercase && options.normalization == kNone && options.target_normalization == kNone)
    fail_usage("lowercase needs the normalization nmt_nfkc or nfkc; identity changes no letter");
  if (options.split_digits && options.kind == TokenizerKind::word)
    fail_usage("--split-digits splits no word of --tokenizer word; expected another tokenizer");
  if (!options.user_symbols.empty() && options.kind == TokenizerKind::word)
    fail_usage("--user-symbols are no words of --tokenizer word; expected another tokenizer");
}

std::string train_tokenizer(const TokenizerOptions& options, const TextFiles& files,
                            const std::vector<bool>& kept) {
  check_consistent(options);
  return learn_side(text_to_learn(files, kept), options);
}

JointModels train_joint_tokenizer(const TokenizerOptions& options, const TextFiles& source,
                                  const TextFiles& target, const std::vector<bool>& kept) {
  check_consistent(options);
  TextFiles files = source;
  files.insert(files.end(), target.begin(), target.end());
  LearnedText text = text_to_learn(std::move(files), kept);
  if (options.normalization == options.target_normalization) {
    const std::string model = learn_side(std::move(text), options);
    return {model, model};
  }
  // Each side is normalized by its own rules before a vocabulary is learned of what they give.
  const Normalizer of_source(options.normalization, options.lowercase);
  const Normalizer of_target(options.target_normalization, options.lowercase);
  text.normalizers.assign(source.size(), &of_source);
  text.normalizers.resize(text.files.size(), &of_target);
  TokenizerOptions normalized = options;
  normalized.normalization = Normalization::identity;
  const std::string model = learn(text, normalized);
  return {detail::with_normalizer(model, of_source.specification()),
          detail::with_normalizer(model, of_target.specification())};
}

}  // namespace heed
