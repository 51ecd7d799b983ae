// The check for NaN and infinite logits, as a model whose weights overflow gives them.
#pragma once

#include <cmath>

#include "heed/core/error.h"

namespace heed {

// Fails unless a number that a model predicts (a logit, a log-probability, attention) is finite.
// Finite weights can still overflow, and sorting is undefined for NaN.
inline void expect_finite(double prediction) {
  if (!std::isfinite(prediction))
    fail("the model gives no finite probabilities: its weights overflow or are damaged");
}

}  // namespace heed
