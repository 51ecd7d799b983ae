// Translates lines of text, continues prompts or parses sentences: exactly one result for each
// line, in order.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/decode/model_outputs.h"
#include "heed/decode/options.h"
#include "heed/decode/translation.h"

namespace heed {

// Translates on several threads, each with its own continuous batch. The translation of a line is a
// function of the line, its prefix, the model and the options; other lines, their order, batch
// sizes and the number of threads do not affect it.
//
// With a language model each line is a prompt, and its translation the prompt and what follows;
// with a parser it is a sentence, and its translation a tree over its words.
//
// Threads and caches are kept for later calls: as many as the calls that ran at the same time have
// needed. Const: any number of threads may call one.
class Translator {
 public:
  // UsageError if options are out of range, Error unless the tokenizers fit the model.
  Translator(const ModelParts& parts, const DecodeOptions& options);
  ~Translator();

  using Next = NextInput;
  using Emit = EmitTranslation;
  // Waits for input, at most `time`. True if next() will not block.
  using Wait = std::function<bool(std::chrono::milliseconds time)>;

  // Calls next() on this thread until it returns std::nullopt, and emit() once for every line, in
  // order, as soon as it and all before it are translated: from other threads, one call at a time.
  // An exception of next() or emit() ends the translation and is rethrown here: immediately if
  // there is a wait(), otherwise when next() returns. Holds a bounded number of lines and bytes.
  // Starts threads as lines arrive, at most DecodeOptions::threads; Error if a thread cannot be
  // created.
  void translate(const Next& next, const Emit& emit, const Wait& wait = {}) const;

  // A single line, or a single thread, is translated on the calling thread.
  std::vector<Translation> translate(const std::vector<std::string>& lines) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The best translation of every line.
std::vector<std::string> best_translations(const Translator& translator,
                                           const std::vector<std::string>& lines);

}  // namespace heed
