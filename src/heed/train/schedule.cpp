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

double learning_rate(const RateSchedule& schedule, int64_t step) {
  const double n = double(step), peak = schedule.rate;
  const auto warmup = double(schedule.warmup_steps);
  switch (schedule.schedule) {
    case Schedule::noam: {
      const int64_t d_model = schedule.d_model;
      return peak / std::sqrt(double(d_model)) *
             std::min(1 / std::sqrt(n), n / std::pow(warmup, 1.5));
    }
    case Schedule::inverse_sqrt:
      return peak * std::min(n / warmup, std::sqrt(warmup / n));
    case Schedule::linear:
    case Schedule::cosine: {
      if (n <= warmup) return peak * n / warmup;
      if (!schedule.decay_steps) return peak;
      const double done = std::min(1.0, (n - warmup) / (double(*schedule.decay_steps) - warmup));
      return peak * decayed(schedule.schedule, schedule.final_fraction, done);
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
