#include "heed/model/confidence.h"

#include <algorithm>
#include <cmath>

namespace heed {

double Confidence::Term::standardized(double signal) const {
  constexpr double kMaxDistance = 3;
  return std::clamp((signal - mean) / deviation, -kMaxDistance, kMaxDistance);
}

double Confidence::probability(const ConfidenceSignals& signals) const {
  double sum = bias;
  for (size_t i = 0; i < signals.size(); ++i)
    sum += terms[i].weight * terms[i].standardized(signals[i]);
  return 1 / (1 + std::exp(-sum));
}

}  // namespace heed
