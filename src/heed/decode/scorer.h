// Log-probabilities of given translations, token by token.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/decode/score_options.h"
#include "heed/decode/translator.h"
#include "heed/text/tokenizer.h"

namespace heed {

// A sentence and its translation.
struct TextPair {
  std::string source, target;
};

// The model's log-probability of a pair, with teacher forcing and without label smoothing.
struct PairScore {
  int64_t line = 0;                 // from 0
  std::vector<std::string> pieces;  // of the target, </s> last
  std::vector<double>
      log_probabilities;       // natural, of each piece given the source and those before
  double log_probability = 0;  // their sum
  // empty: a side has no tokens. cut: a side has more than the model has positions for, and what is
  // beyond them counts as absent, </s> too.
  LineStatus status;

  // Whether the pair is part of the corpus score. Empty and cut pairs, which training drops, are
  // not.
  bool counts() const { return !status.empty && !status.cut; }
};

// Of a whole text: what a training reports of its validation text.
struct CorpusScore {
  int64_t pairs = 0;     // that count
  int64_t left_out = 0;  // that do not
  int64_t tokens = 0;    // of the targets, </s> included
  double log_probability = 0;

  CorpusScore& operator+=(const PairScore& pair);
  // Cross entropy in nats a token, and e to its power; not a number where there are no tokens.
  double loss() const;
  double perplexity() const;
};

CorpusScore corpus_score(const std::vector<PairScore>& pairs);

// Scores on several threads, in batches without padding. A pair's score depends on the pair, the
// model and the compute type alone: not on other pairs, batches or the number of threads.
class Scorer {
 public:
  // All must outlive the scorer. Error where the tokenizers are not the model's.
  Scorer(const Transformer& model, const TokenizerPair& tokenizers, Backend& backend,
         const ScoreOptions& options);

  using Next = std::function<std::optional<TextPair>()>;
  using Emit = std::function<void(const PairScore&)>;

  // Calls next() until it gives nothing, and emit() once for every pair, in order, both on this
  // thread. Holds a bounded number of pairs.
  void score(const Next& next, const Emit& emit) const;

  std::vector<PairScore> score(const std::vector<TextPair>& pairs) const;

 private:
  const Transformer& model_;
  const TokenizerPair& tokenizers_;
  Backend& backend_;
  ScoreOptions options_;
};

}  // namespace heed
