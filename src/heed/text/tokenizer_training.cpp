#include "heed/text/tokenizer_training.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <map>
#include <unordered_map>
#include <vector>

#include "heed/core/error.h"
#include "heed/core/options.h"
#include "heed/core/rng.h"
#include "heed/text/lines.h"
#include "heed/text/parallel_text.h"

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

// Gives a sample of the files' lines, in order (selection sampling: a line is taken with the
// probability wanted_ / left_, so nothing is stored).
class SampledSentences : public sentencepiece::SentenceIterator {
 public:
  SampledSentences(const TextFiles& files, const std::vector<bool>& kept, int64_t lines,
                   const TokenizerOptions& options)
      : files_(files),
        kept_(kept),
        left_(lines),
        wanted_(std::min(lines, options.sample_lines)),
        random_(options.seed) {
    Next();
  }

  bool done() const override { return done_; }
  const std::string& value() const override { return sentence_; }
  sentencepiece::util::Status status() const override { return {}; }

  // SentencePiece does not support exceptions: one is kept here until training has returned.
  void Next() override {
    try {
      if (rest_.empty() && !take_line()) {
        done_ = true;
        return;
      }
      const size_t cut =
          rest_.size() <= kMaxSentenceBytes ? rest_.size() : cut_position(rest_, kMaxSentenceBytes);
      sentence_ = rest_.substr(0, cut);
      rest_.remove_prefix(cut);
    } catch (...) {
      error_ = std::current_exception();
      done_ = true;
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  // Makes rest_ the next line of the sample that is not empty.
  bool take_line() {
    while (wanted_ > 0 && next_line()) {
      const bool taken = random_.below(uint64_t(left_--)) < uint64_t(wanted_);
      if (taken) --wanted_;
      rest_ = line_;
      if (taken && !rest_.empty()) return true;
    }
    return false;
  }

  bool next_line() {
    while (left_ > 0) {
      if (reader_ && reader_->next(line_)) {
        if (kept_.empty() || kept_[lines_++ % kept_.size()]) return true;
        continue;
      }
      if (file_ == files_.size()) fail("{} became shorter while it was read", reader_->name());
      reader_.emplace(files_[file_++].lines());
    }
    return false;
  }

  const TextFiles& files_;
  const std::vector<bool>& kept_;
  size_t lines_ = 0;  // read
  int64_t left_;      // kept lines that are not read yet
  int64_t wanted_;    // lines of the sample that are not taken yet
  Random random_;
  size_t file_ = 0;
  std::optional<LineReader> reader_;
  std::string line_, sentence_;
  std::string_view rest_;  // of the line
  std::exception_ptr error_;
  bool done_ = false;
};

std::unordered_map<std::string, std::string> arguments(const TokenizerOptions& options) {
  const bool limited =
      options.kind == TokenizerKind::word || options.kind == TokenizerKind::character;
  return {{"model_type", to_text(options.kind)},
          {"vocab_size", std::to_string(options.vocabulary_size - 1)},  // without <pad>
          {"character_coverage", fmt::format("{}", options.character_coverage)},
          {"byte_fallback", options.byte_fallback ? "true" : "false"},
          {"normalization_rule_name",
           to_text(options.normalization) + (options.lowercase ? "_cf" : "")},
          {"hard_vocab_limit", limited ? "false" : "true"},
          {"eos_id", "0"},
          {"unk_id", "1"},
          {"bos_id", "-1"},
          {"pad_id", "-1"},
          {"num_threads", std::to_string(kThreads)},
          {"max_sentence_length", std::to_string(kMaxSentenceBytes)},
          {"minloglevel", "3"}};
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

[[noreturn]] void explain(const TokenizerOptions& options, const TextFiles& files,
                          std::string_view message) {
  if (const int64_t most = number_after(message, "set it to a value <= "); most > 0) {
    fail(
        "{}: the text is too small for a vocabulary of {} ids: at most {} are possible; lower "
        "--vocabulary-size or give more text",
        names_of(files), options.vocabulary_size, most + 1);
  }
  if (message.find("smaller than required_chars") != message.npos) {
    fail(
        "{}: a vocabulary of {} ids is too small for the characters of the text (at least {} ids "
        "are "
        "needed); raise --vocabulary-size or lower --character-coverage",
        names_of(files), options.vocabulary_size, number_after(message, "vs ") + 1);
  }
  fail("{}: SentencePiece cannot learn a vocabulary of {} ids: {}", names_of(files),
       options.vocabulary_size, message);
}

}  // namespace

void check_consistent(const TokenizerOptions& options) {
  validate(options);
  if (options.sample_lines < 1) {
    fail_usage("the sample of a tokenizer has {} lines; expected at least 1", options.sample_lines);
  }
  if (options.lowercase && options.normalization == Normalization::identity) {
    fail_usage("lowercase needs the normalization nmt_nfkc or nfkc; identity changes no letter");
  }
}

std::string train_tokenizer(const TokenizerOptions& options, const TextFiles& files,
                            const std::vector<bool>& kept) {
  check_consistent(options);
  if (files.empty()) fail_usage("a tokenizer needs text; no file was given");
  int64_t lines = 0;
  for (const TextFile& file : files) {
    const TextSurvey found = survey(file);
    if (kept.empty() && found.faults.count() > 0)
      fail("{}; convert the file to UTF-8", found.faults.first);
    lines += found.lines;
  }
  if (!kept.empty()) {
    const auto side = int64_t(kept.size());
    check(lines % side == 0, "lines are kept or left out by the side");
    lines = lines / side * std::count(kept.begin(), kept.end(), true);
    if (lines == 0)
      fail(
          "no pair of the corpus passes the filters that look at words (what stands between "
          "spaces): raise --max-words or lower --min-word-count");
  }
  SampledSentences sentences(files, kept, lines, options);
  sentences.rethrow();
  if (sentences.done()) fail("{}: no text to learn a tokenizer from", files.front().name());
  std::string model;
  const auto status =
      sentencepiece::SentencePieceTrainer::Train(arguments(options), &sentences, &model);
  sentences.rethrow();
  if (!status.ok()) explain(options, files, status.message());
  return model;
}

}  // namespace heed
