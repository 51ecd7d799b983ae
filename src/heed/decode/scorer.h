// Log-probabilities of given translations, token by token.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/decode/model_outputs.h"
#include "heed/decode/options.h"
#include "heed/decode/translation.h"

namespace heed {

// A sentence and its translation; the target alone for a language model.
struct TextPair {
  std::string source, target;
};

// The model's log-probability of a pair, with teacher forcing and without label smoothing.
struct PairScore {
  int64_t line = 0;                 // from 0
  std::vector<std::string> pieces;  // of the target, </s> last
  std::vector<double>
      log_probabilities;  // natural logarithms, of each piece given the source and those before
  double log_probability = 0;  // their sum
  // empty: a side has no tokens. truncated: a side has more tokens than the model has positions
  // for; the rest and </s> are ignored.
  LineStatus status;

  // Whether the pair is part of the corpus score. Empty and truncated pairs, which training drops,
  // are not.
  bool is_scored() const { return !status.empty && !status.truncated; }
};

// The score of a corpus, as training reports it for the validation text.
struct CorpusScore {
  int64_t pairs = 0;    // PairScore::is_scored()
  int64_t skipped = 0;  // the others
  int64_t tokens = 0;   // of the targets of `pairs`, </s> included
  double log_probability = 0;

  CorpusScore& operator+=(const PairScore& pair);
  // Cross entropy in nats per token, and its exponential; NaN if there are no tokens.
  double loss() const;
  double perplexity() const;
};

CorpusScore corpus_score(const std::vector<PairScore>& pairs);

// Scores on several threads, in batches without padding. A pair's score depends on the pair, the
// model and the compute type alone: not on other pairs, batches or the number of threads.
class Scorer {
 public:
  // Error unless the tokenizers fit the model.
  Scorer(const ModelParts& parts, const ScoreOptions& options);

  using Next = std::function<std::optional<TextPair>()>;
  using Emit = std::function<void(const PairScore&)>;

  // Calls next() until it returns std::nullopt, and emit() once for every pair, in order, both on
  // this thread. Holds a bounded number of pairs.
  void score(const Next& next, const Emit& emit) const;

  std::vector<PairScore> score(const std::vector<TextPair>& pairs) const;

 private:
  const ModelParts parts_;
  const ScoreOptions options_;
};

}  // namespace heed
