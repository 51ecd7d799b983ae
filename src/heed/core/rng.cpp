#include "heed/core/rng.h"

#include <cmath>

namespace heed {

double Random::normal() {
  const double u = 1.0 - uniform();  // in (0, 1]
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * M_PI * uniform());
}

}  // namespace heed
