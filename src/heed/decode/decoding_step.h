// One decoding step of one sentence: beam search or sampling.
#pragma once

#include "heed/decode/predictions.h"
#include "heed/decode/search.h"

namespace heed {

// The states of a hypothesis, one for each constraint, after its first `seen` ids.
struct ConstraintStates {
  size_t seen = 0;
  std::vector<int64_t> states;
};

// A translation in progress.
struct ActiveHypothesis {
  std::vector<TokenId> ids;         // without the start
  std::vector<int32_t> cache_rows;  // its positions' rows in the KV cache, oldest first
  double log_probability = 0;
  std::vector<double> log_probabilities;  // of each id
  ConstraintStates constrained;
  NextTokens next;
  int64_t node = -1;       // of the trace: of the last token
  int64_t logits_row = 0;  // of its next token
};

// A hypothesis of a group that is complete.
struct FinishedHypothesis : Hypothesis {
  std::string text;      // by HypothesisGroup::target_tokenizer; empty without one
  bool repeats = false;  // the text of a better one of the group
};

// Hypotheses of a sentence that compete with each other: a beam, one group of diverse beam search,
// or one sample.
struct HypothesisGroup {
  std::vector<ActiveHypothesis> active;
  std::vector<FinishedHypothesis> finished;  // best first
  bool done = false;
  int64_t number = 0;                           // among the groups or samples
  SearchTrace* trace = nullptr;                 // where steps are recorded, if anywhere
  const Tokenizer* target_tokenizer = nullptr;  // finished hypotheses are compared as texts by it

  // Adds a finished hypothesis of this length, </s> included, with its score; `alpha` is that of
  // the length penalty.
  void finish(Hypothesis hypothesis, int64_t length, double alpha);
  // Moves all active hypotheses to `finished` as they are, without </s> (Hypothesis::ended).
  void finish_active(double alpha);
};

struct DecodingStep {
  const SearchOptions& options;
  const TokenId end_id;
  const int64_t max_length;  // of a hypothesis, </s> included
  Predictions& predictions;

  // How many of a row's most probable tokens a step may need if up to `banned` of them are banned.
  static int64_t candidates_needed(const SearchOptions& options, int64_t banned);

  // Of the next token of a hypothesis: by the model, unless the token is given.
  double log_probability(const ActiveHypothesis& h, TokenId id) const;

  // Beam search. `chosen` contains the tokens that earlier groups have chosen at this step, sorted;
  // those of this group are added.
  void beam_search(HypothesisGroup& group, std::vector<TokenId>& chosen) const;
  // Samples a token by inversion: the one at which the cumulative distribution exceeds `uniform`,
  // in [0, 1). `choices` is scratch memory.
  void sample(HypothesisGroup& group, double uniform, std::vector<TokenWeight>& choices) const;
};

// Drops hypotheses without </s> if another one has it: with a high length penalty, one that repeats
// itself up to the maximum length would win.
void drop_unfinished(std::vector<HypothesisGroup>& groups);

// The hypotheses of a SearchResult. Moves them out of the groups.
std::vector<Hypothesis> best_hypotheses(std::vector<HypothesisGroup>& groups,
                                        const SearchOptions& options);

}  // namespace heed
