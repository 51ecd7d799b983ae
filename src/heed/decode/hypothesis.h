// A translation that a search found.
#pragma once

#include <vector>

#include "heed/core/ragged.h"

namespace heed {

// A translation in a result, without the start token and </s>.
struct Hypothesis {
  std::vector<TokenId> ids;
  double log_probability = 0;  // natural logarithm, by the model, of all tokens and </s>
  double score = 0;            // log_probability / ((5 + length) / 6)^length_penalty
  bool ended = true;  // with </s>; false: without it (maximum length, no token allowed, partial())
  // One for each id, those of a forced prefix included, then one for </s> if `ended`; their sum is
  // log_probability.
  std::vector<double> log_probabilities = {};
  int64_t node = -1;  // of the SearchTrace, if there is one: of the last token
};

// ((5 + length) / 6)^alpha.
double length_penalty(int64_t length, double alpha);

}  // namespace heed
