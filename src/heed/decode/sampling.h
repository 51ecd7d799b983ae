// Sampling a token from the model's distribution.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/core/ragged.h"

namespace heed {

struct SamplingOptions {
  double temperature = 1;  // logits are divided by it; below 1 favours probable tokens
  int64_t top_k = 0;       // the K most probable tokens (Fan et al., 2018); 0: all
  double top_p = 1;        // the smallest set of this total probability (nucleus sampling,
                           // Holtzman et al., 2020), after top_k
};

// A token that may be sampled.
struct Choice {
  TokenId id;
  double weight;  // the logit; after to_probabilities() the probability
};

// Turns logits into probabilities: temperature, then top_k, then top_p. Of equal logits the lower
// id ranks first. `choices` must not be empty; those that may not be sampled are removed, and the
// others reordered, in a way that depends on the choices alone. Error where a logit is NaN or
// infinity, or all are minus infinity.
void to_probabilities(std::vector<Choice>& choices, const SamplingOptions& options);

namespace detail {

// The choice at `uniform` in [0, 1) of the cumulative distribution, which must not be all 0.
const Choice& draw(const std::vector<Choice>& choices, double uniform);

}  // namespace detail

}  // namespace heed
