#include "heed/train/schedule.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

// The learning rate, as a fraction of the peak, after the fraction `done` of the decay.
double decayed(Schedule schedule, double final_fraction, double done) {
  const double pi = std::acos(-1.0);
  const double left = schedule == Schedule::linear ? 1 - done : (1 + std::cos(pi * done)) / 2;
  return final_fraction + (1 - final_fraction) * left;
}

}  // namespace

double learning_rate(const TrainOptions& options, int64_t d_model, int64_t step) {
  const double n = double(step);
  check(options.warmup_steps && options.learning_rate, "a schedule without its defaults");
  const auto warmup = double(*options.warmup_steps);
  const double peak = *options.learning_rate;
  switch (options.schedule) {
    case Schedule::noam:
      return peak / std::sqrt(double(d_model)) *
             std::min(1 / std::sqrt(n), n / std::pow(warmup, 1.5));
    case Schedule::inverse_sqrt:
      return peak * std::min(n / warmup, std::sqrt(warmup / n));
    case Schedule::linear:
    case Schedule::cosine: {
      if (n <= warmup) return peak * n / warmup;
      if (!options.decay_steps) return peak;
      check(options.final_fraction.has_value(), "a schedule without its defaults");
      const double done = std::min(1.0, (n - warmup) / (double(*options.decay_steps) - warmup));
      return peak * decayed(options.schedule, *options.final_fraction, done);
    }
    case Schedule::constant:
      return warmup > 0 ? peak * std::min(1.0, n / warmup) : peak;
  }
  return peak;
}

double ema_decay(double limit, int64_t step) {
  return std::min(limit, double(1 + step) / double(10 + step));
}

}  // namespace heed
