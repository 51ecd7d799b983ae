#include "heed/decode/scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/core/parallel.h"
#include "heed/model/finite.h"
#include "heed/model/pair_batch.h"
#include "heed/model/sequence_model.h"
#include "heed/text/language_codes.h"

namespace heed {
namespace {

// Limits of a window: so large that threads seldom wait for its last pairs, but with few pairs if
// lines are long.
constexpr size_t kWindowPairs = 4096;
constexpr size_t kWindowBytes = 2 << 20;

// A pair that is being scored.
struct PendingPair {
  TextPair text;
  std::vector<TokenId> source, target;  // without </s>
  bool target_ends = true;              // false: truncated, without </s>
  PairScore score;
};

// Consecutive pairs that are computed together.
struct Batch {
  size_t begin, end;
};

// The pairs of one call, a window at a time.
class Scoring {
 public:
  // `most_together`: an upper bound of the pairs of a window, and so of the number of threads.
  Scoring(const ModelParts& parts, const ScoreOptions& options, size_t most_together)
      : parts_(parts),
        options_(options),
        workers_(int(std::clamp<size_t>(
            most_together, 1, size_t(options.threads.value_or(default_threads(parts.backend)))))),
        pools_(make_tensor_pools(workers_.count(), parts.backend.memory())) {}

  void run(const Scorer::Next& next, const Scorer::Emit& emit) {
    while (read(next)) {
      workers_.run(int64_t(pending_.size()), [&](int64_t i, int) { encode(pending_[size_t(i)]); });
      const std::vector<Batch> all = batches();
      workers_.run(int64_t(all.size()),
                   [&](int64_t i, int worker) { compute(all[size_t(i)], pools_[size_t(worker)]); });
      for (const PendingPair& pair : pending_) emit(pair.score);
    }
  }

 private:
  // Fills the window; false at the end of the pairs.
  bool read(const Scorer::Next& next) {
    pending_.clear();
    size_t bytes = 0;
    while (pending_.size() < kWindowPairs && bytes < kWindowBytes) {
      std::optional<TextPair> text = next();
      if (!text) break;
      bytes += text->source.size() + text->target.size();
      PendingPair& pair = pending_.emplace_back();
      pair.text = std::move(*text);
      pair.score.line = lines_++;
    }
    return !pending_.empty();
  }

  void encode(PendingPair& pair) const {
    if (parts_.config().has_encoder()) encode_source(pair);
    pair.target_ends =
        encode(parts_.tokenizers.target(), pair.text.target,
               parts_.config().has_encoder() ? "target" : "text", pair.target, pair.score);
  }

  void encode_source(PendingPair& pair) const {
    encode(parts_.tokenizers.source(), pair.text.source, "source", pair.source, pair.score);
    // For the Error alone, if the model does not know the language.
    if (!leading_language_code(pair.text.source).empty())
      LanguageCodes(parts_.tokenizers.source().vocabulary())
          .of(pair.text.source, pair.score.line, "source");
  }

  // One side; false if it was truncated to the model's positions.
  bool encode(const Tokenizer& tokenizer, std::string& text, const char* side,
              std::vector<TokenId>& ids, PairScore& score) const {
    text = valid_utf8(text, {score.line, side, options_.strict}, score.status);
    EncodedText encoded = encode_to_fit(tokenizer, text, parts_.model.config());
    ids = std::move(encoded.ids);
    if (ids.empty()) score.status.empty = true;
    if (encoded.truncated) score.status.truncated = true;
    return !encoded.truncated;
  }

  // Consecutive pairs, neither side of a batch with more tokens than allowed unless it is one pair.
  std::vector<Batch> batches() const {
    std::vector<Batch> all;
    int64_t source = 0, target = 0;
    for (size_t i = 0; i < pending_.size(); ++i) {
      const auto own_source = int64_t(pending_[i].source.size()) + 1;
      const auto own_target = int64_t(pending_[i].target.size()) + 1;
      source += own_source, target += own_target;
      if (all.empty() || std::max(source, target) > options_.batch_tokens) {
        all.push_back({i, i});
        source = own_source, target = own_target;
      }
      all.back().end = i + 1;
    }
    return all;
  }

  void compute(const Batch& batch, TensorPool& pool) {
    PairBatch pairs;
    for (size_t i = batch.begin; i < batch.end; ++i)
      pairs.add(pending_[i].source, pending_[i].target, parts_.model.config());
    ForwardPass pass(parts_.backend, pool);
    const Tensor states =
        parts_.model.decode(pass, pairs.target, parts_.model.encode(pass, pairs.source));
    const Tensor losses =
        to_host(parts_.model.output().label_losses(pass, states, pairs.labels, {}));
    const float* row = losses.data<float>();
    for (size_t i = batch.begin; i < batch.end; ++i) {
      const size_t labels = pending_[i].target.size() + 1;
      finish(pending_[i], row);
      row += 2 * labels;
    }
  }

  // Stores the log-probabilities of a pair's labels. `losses` has two numbers of each label: the
  // loss that training minimizes, and the negative log-likelihood.
  void finish(PendingPair& pair, const float* losses) const {
    if (pair.target_ends) pair.target.push_back(parts_.tokenizers.target().end_id());
    PairScore& score = pair.score;
    score.pieces = parts_.tokenizers.target().pieces(pair.target);
    for (size_t i = 0; i < pair.target.size(); ++i) {
      expect_finite(double(losses[2 * i + 1]));
      score.log_probabilities.push_back(-double(losses[2 * i + 1]));
      score.log_probability += score.log_probabilities.back();
    }
  }

  const ModelParts& parts_;
  const ScoreOptions& options_;
  Workers workers_;
  std::vector<TensorPool> pools_;  // one per worker
  std::vector<PendingPair> pending_;
  int64_t lines_ = 0;
};

}  // namespace

CorpusScore& CorpusScore::operator+=(const PairScore& pair) {
  if (!pair.is_scored()) {
    ++skipped;
    return *this;
  }
  ++pairs;
  tokens += int64_t(pair.pieces.size());
  log_probability += pair.log_probability;
  return *this;
}

double CorpusScore::loss() const {
  return tokens > 0 ? -log_probability / double(tokens) : std::numeric_limits<double>::quiet_NaN();
}

double CorpusScore::perplexity() const {
  return std::exp(loss());
}

CorpusScore corpus_score(const std::vector<PairScore>& pairs) {
  CorpusScore sum;
  for (const PairScore& pair : pairs) sum += pair;
  return sum;
}

Scorer::Scorer(const ModelParts& parts, const ScoreOptions& options)
    : parts_(parts), options_(options) {
  validate(options);
  expect_same_vocabulary(parts);
  const int64_t tokens = parts.tokenizers.output_vocabulary_size(),
                predicted = parts.model.config().output_vocabulary_size;
  if (tokens > predicted)
    fail("the target vocabulary has {} tokens, the model predicts {}: they do not belong together",
         tokens, predicted);
}

void Scorer::score(const Next& next, const Emit& emit) const {
  Scoring(parts_, options_, kWindowPairs).run(next, emit);
}

std::vector<PairScore> Scorer::score(const std::vector<TextPair>& pairs) const {
  std::vector<PairScore> all;
  all.reserve(pairs.size());
  size_t at = 0;
  const Next next = [&]() -> std::optional<TextPair> {
    if (at == pairs.size()) return {};
    return pairs[at++];
  };
  Scoring(parts_, options_, pairs.size()).run(next, [&](const PairScore& s) { all.push_back(s); });
  return all;
}

}  // namespace heed
