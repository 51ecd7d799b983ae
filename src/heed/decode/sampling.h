// Sampling a token from the model's distribution.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/core/ragged.h"

namespace heed {

struct SamplingOptions {
  double temperature = 1;  // logits are divided by it; below 1 favours probable tokens
  int64_t top_k = 0;       // the K most probable tokens (Fan et al., 2018); 0: all
  double top_p = 1;        // then the smallest set of this total probability (nucleus sampling,
                           // Holtzman et al., 2020)
};

// A token that may be sampled, with its logit or probability.
struct TokenWeight {
  TokenId id;
  double weight;  // the logit; after to_probabilities() the probability
};

// Turns logits into probabilities: temperature, then top_k, then top_p. Of equal logits the lower
// id ranks first. `choices` must not be empty; tokens that cannot be sampled are removed, and the
// others may be reordered, in a way that depends on the choices alone. Error if a logit is NaN or
// infinity, or all are minus infinity.
void to_probabilities(std::vector<TokenWeight>& choices, const SamplingOptions& options);

namespace detail {

// Samples by inversion: the first token at which the cumulative probability exceeds `uniform`, in
// [0, 1). The probabilities must not all be 0.
const TokenWeight& draw(const std::vector<TokenWeight>& choices, double uniform);

}  // namespace detail

}  // namespace heed
