// One decoding step of one sentence: beam search or sampling.
#pragma once

#include "heed/decode/decoding_constraints.h"
#include "heed/decode/predictions.h"
#include "heed/decode/search.h"

namespace heed {

// A translation in progress.
struct LiveHypothesis {
  std::vector<TokenId> ids;   // without the start
  std::vector<int32_t> rows;  // its positions' rows in the KV cache, oldest first
  double log_probability = 0;
  ConstraintState constraints;
  int64_t row = 0;  // where this step predicts its next token
};

// Hypotheses of a sentence that compete with each other: a beam, one group of diverse beam search,
// or one sample.
struct Group {
  std::vector<LiveHypothesis> live;
  std::vector<Hypothesis> finished;  // best first
  bool done = false;

  // Scores a hypothesis of this length, </s> included, with alpha of the length penalty.
  void finish(Hypothesis hypothesis, int64_t length, double alpha);
  // Finishes all live hypotheses without </s>.
  void finish_live(double alpha);
};

class DecodingStep {
 public:
  // All must outlive this.
  DecodingStep(const SearchOptions& options, const DecodingConstraints& constraints,
               Predictions& next)
      : options_(options), constraints_(constraints), next_(next) {}

  // The k of the top-k that a step may need of each row when up to `banned` tokens are banned.
  static int64_t best_needed(const SearchOptions& options, int64_t banned);

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
    double value;  // for comparisons: log_probability less the diversity penalty
  };
  class TopCandidates;

  int64_t width() const { return options_.beam_size() / options_.diverse_groups; }
  std::vector<Candidate> best_candidates(const Group& group,
                                         const std::vector<TokenId>& chosen) const;
  // Sets `choices` to the tokens that may come next, with their logits.
  void list_choices(const LiveHypothesis& h, std::vector<Choice>& choices) const;
  LiveHypothesis extended(const LiveHypothesis& parent, const Candidate& candidate) const;
  bool is_done(const Group& group) const;

  const SearchOptions& options_;
  const DecodingConstraints& constraints_;
  Predictions& next_;
};

// The hypotheses of a SearchResult. Moves them out of the groups.
std::vector<Hypothesis> best_hypotheses(std::vector<Group>& groups, const SearchOptions& options);

}  // namespace heed
