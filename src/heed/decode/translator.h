// Translates lines of text: exactly one translation for each line, in order.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/decode/alignment.h"
#include "heed/decode/options.h"
#include "heed/text/tokenizer.h"

namespace heed {

// How a line was processed.
struct LineStatus {
  bool empty = false;     // no tokens: the translation is empty
  bool split = false;     // too long for the model: translated in parts
  bool cut = false;       // a part reached the maximum length without </s>
  bool repaired = false;  // invalid UTF-8 was read as U+FFFD

  // "ok", "empty", "split,cut", ...
  std::string text() const;
};

// A line to translate.
struct Input {
  Input(std::string text, std::string prefix = "")  // NOLINT: a line is a text
      : text(std::move(text)), prefix(std::move(prefix)) {}
  std::string text;
  std::string prefix;  // of the translation (decode/forced_prefix.h); empty: none
};

// One of a line's nbest.
struct Alternative {
  std::string text;
  double score = 0;  // the sum over the parts of a split line
  std::vector<std::string> pieces;
  // With DecodeOptions::attention: each piece's attention to the source pieces.
  AttentionWeights attention = {};
};

struct Translation {
  int64_t line = 0;                        // from 0
  std::vector<Alternative> alternatives;   // best first, at least one
  std::vector<std::string> source_pieces;  // with attention; each part ends with </s>
  LineStatus status;
};

// Error where the tokenizers cannot be the model's.
void expect_same_vocabulary(const Transformer& model, const TokenizerPair& tokenizers);

// Translates on several threads, each with its own continuous batch. The translation of a line is a
// function of the line, its prefix, the model and the options; other lines, their order, batch
// sizes and the number of threads do not affect it.
class Translator {
 public:
  // All must outlive the translator. Throws UsageError for options out of range, Error where the
  // tokenizers are not the model's.
  Translator(const Transformer& model, const TokenizerPair& tokenizers, Backend& backend,
             const DecodeOptions& options);

  using Next = std::function<std::optional<Input>()>;
  using Emit = std::function<void(const Translation&)>;
  // Waits until next() need not wait for input, `time` at most; whether that is so.
  using Wait = std::function<bool(std::chrono::milliseconds time)>;

  // Calls next() on this thread until it gives nothing, and emit() once for every line, in order,
  // as soon as it and all before it are done: from other threads, one call at a time. What either
  // throws ends the translation and is thrown here: at once while input is waited for if there is a
  // wait(), else when next() returns. Holds a bounded number of lines and bytes. Starts a thread a
  // line until there are DecodeOptions::threads; Error where the machine refuses one.
  void translate(const Next& next, const Emit& emit, const Wait& wait = {}) const;

  // A single line, or a single thread, is translated on the calling thread.
  std::vector<Translation> translate(const std::vector<std::string>& lines) const;

 private:
  void translate_here(const Next& next, const Emit& emit) const;

  const Transformer& model_;
  const TokenizerPair& tokenizers_;
  Backend& backend_;
  DecodeOptions options_;
};

// The best translation of every line.
std::vector<std::string> best_translations(const Translator& translator,
                                           const std::vector<std::string>& lines);

}  // namespace heed
