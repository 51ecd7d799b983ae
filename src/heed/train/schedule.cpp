#include "heed/train/schedule.h"

#include <algorithm>
#include <cmath>

namespace heed {

double learning_rate(const TrainOptions& options, int64_t d_model, int64_t step) {
  const bool constant = options.schedule == Schedule::constant;
  const double n = double(step);
  const double warmup = double(options.warmup.value_or(constant ? 0 : 4000));
  const double peak =
      options.learning_rate.value_or(options.schedule == Schedule::noam ? 1.0 : 5e-4);
  switch (options.schedule) {
    case Schedule::noam:
      return peak / std::sqrt(double(d_model)) *
             std::min(1 / std::sqrt(n), n / std::pow(warmup, 1.5));
    case Schedule::inverse_sqrt:
      return peak * std::min(n / warmup, std::sqrt(warmup / n));
    case Schedule::constant:
      return warmup > 0 ? peak * std::min(1.0, n / warmup) : peak;
  }
  return peak;
}

}  // namespace heed
