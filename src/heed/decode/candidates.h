// The tokens by which the hypotheses of a beam may go on, in the order in which they enter the next
// beam.
#pragma once

#include <vector>

#include "heed/decode/decoding_step.h"

namespace heed {

// Hypothesis `parent` extended by `id`.
struct Candidate {
  int64_t parent;
  TokenId id;
  double log_probability;        // of the hypothesis with `id`
  double score;                  // log_probability less the diversity penalty
  double token_log_probability;  // of `id`
  DemandProgress progress = {};  // of the hypothesis with `id`, if a constraint demands text
};

// At most twice as many as the beam has hypotheses, best first. `chosen` are the tokens that
// earlier groups of diverse beam search have chosen, sorted.
//
// If a constraint demands text of the translation, the beam is shared out by how much of it the
// candidates have (Post and Vilar, 2018, "dynamic beam allocation"): among them, one that has come
// furthest is first.
std::vector<Candidate> best_candidates(const DecodingStep& step, const HypothesisGroup& group,
                                       const std::vector<TokenId>& chosen);

}  // namespace heed
