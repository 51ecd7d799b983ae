// Drawing a token from the model's distribution.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/core/ragged.h"

namespace heed {

// Of which tokens to draw, and how likely each.
struct SamplingOptions {
  double temperature = 1;  // logits are divided by it: less is closer to the likeliest token
  int64_t top_k = 0;       // only the so many likeliest (Fan et al., 2018); 0 is all
  double top_p = 1;        // only the fewest that have this much probability together (the nucleus
                           // of Holtzman et al., 2020), of those that top_k leaves
};

// A token that may be drawn.
struct Choice {
  TokenId id;
  double weight;  // before: the logit; after: the probability
};

// Turns logits into the probabilities of what may be drawn: temperature, then top_k, then top_p.
// Of equal logits the lower id is the likelier. `choices` must not be empty; some are removed, and
// their order changes, but for the same choices it is always the same. Error where a logit is NaN
// or infinity, or all are minus infinity.
void to_probabilities(std::vector<Choice>& choices, const SamplingOptions& options);

// The choice at `uniform`, in [0, 1), of the cumulated probabilities, one of which must be above 0.
const Choice& draw(const std::vector<Choice>& choices, double uniform);

}  // namespace heed
