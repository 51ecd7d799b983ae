// One decoding step of one sentence: beam search or sampling.
#pragma once

#include <span>

#include "heed/decode/predictions.h"
#include "heed/decode/search.h"

namespace heed {

// A translation in progress.
struct LiveHypothesis {
  std::vector<TokenId> ids;   // without the start
  std::vector<int32_t> rows;  // its positions' rows in the KV cache, oldest first
  double log_probability = 0;
  size_t matched = 0;           // bytes of the forced text matched so far
  int64_t row = 0;              // where this step predicts its next token
  std::vector<TokenId> banned;  // ids that must not come next, sorted
};

// Hypotheses of a sentence that compete with each other: a beam, one group of diverse beam search,
// or one sample.
struct Group {
  std::vector<LiveHypothesis> live;
  std::vector<Hypothesis> finished;  // best first
  bool done = false;
};

// One step of one sentence.
class DecodingStep {
 public:
  // All must outlive this. `forced_text` may be null; `max_length` is the sentence's.
  DecodingStep(const SearchOptions& options, Predictions& next, TokenId end_id,
               const ForcedText* forced_text, int64_t max_length)
      : options_(options),
        next_(next),
        end_id_(end_id),
        forced_text_(forced_text),
        max_length_(max_length) {}

  // How many of the best classes of each row a step may need where `repeats` of them are banned.
  static int64_t best_needed(const SearchOptions& options, int64_t repeats);

  // Beam search. `chosen` holds the tokens that earlier groups chose at this step, sorted; those of
  // this group are added.
  void beam_search(Group& group, std::vector<TokenId>& chosen) const;
  // Samples the token at `uniform` in [0, 1) of the cumulative distribution. `choices` is scratch
  // memory.
  void sample(Group& group, double uniform, std::vector<Choice>& choices) const;

 private:
  // Hypothesis `parent` extended by `id`.
  struct Candidate {
    int64_t parent;
    TokenId id;
    double log_probability;
    double value;  // candidates are compared by it: log_probability less the diversity penalty
    size_t matched;
  };
  class TopCandidates;

  int64_t width() const { return options_.beam_size() / options_.diverse_groups; }
  bool is_forced(const LiveHypothesis& h) const {
    return forced_text_ && h.matched < forced_text_->size();
  }
  // Whether `id` may come next, where no text is forced.
  bool may_follow(const LiveHypothesis& h, TokenId id) const;
  std::vector<Candidate> best_candidates(const Group& group,
                                         const std::vector<TokenId>& chosen) const;
  LiveHypothesis extended(const LiveHypothesis& parent, const Candidate& candidate) const;
  void finish(Group& group, Hypothesis hypothesis, int64_t length) const;
  // Finishes all live hypotheses without </s>: no token may come next, or the length is reached.
  void finish_live(Group& group) const;
  bool is_done(const Group& group) const;

  const SearchOptions& options_;
  Predictions& next_;
  const TokenId end_id_;
  const ForcedText* forced_text_;
  const int64_t max_length_;
};

// The hypotheses of a SearchResult. Moves them out of the groups.
std::vector<Hypothesis> best_hypotheses(std::vector<Group>& groups, const SearchOptions& options);

// The ids, sorted, that would complete an n-gram that `ids` already contains.
std::vector<TokenId> repeated_ngram_tokens(std::span<const TokenId> ids, int64_t n);

}  // namespace heed
