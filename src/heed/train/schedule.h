// Schedules by step: the learning rate (section 5.3) and the decay of the moving average.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace heed {

enum class Schedule { noam, inverse_sqrt, linear, cosine, constant };
constexpr std::array<std::pair<std::string_view, Schedule>, 5> enum_names(Schedule) {
  return {{{"noam", Schedule::noam},
           {"inverse-sqrt", Schedule::inverse_sqrt},
           {"linear", Schedule::linear},
           {"cosine", Schedule::cosine},
           {"constant", Schedule::constant}}};
}

struct RateSchedule {
  Schedule schedule = Schedule::noam;
  double rate = 1;  // the factor of noam, the peak of the others
  int64_t warmup_steps = 4000;
  // The step at which the decay of linear and cosine ends, warm-up included; without it the rate
  // stays at the peak.
  std::optional<int64_t> decay_steps = {};
  double final_fraction = 0;  // of linear and cosine: the final rate as a fraction of the peak
  int64_t d_model = 512;      // of noam
};

// The learning rate of step 1, 2, ... With s = step, w = warmup_steps, N = decay_steps,
// f = final_fraction and u = min(1, (s - w) / (N - w)):
//   noam:          rate * d_model^-0.5 * min(s^-0.5, s * w^-1.5), equation 3
//   inverse-sqrt:  rate * min(s / w, (w / s)^0.5)
//   linear:        rate * s / w up to step w, then rate * (1 - (1 - f) * u)
//   cosine:        rate * s / w up to step w, then rate * (f + (1 - f) * (1 + cos(pi * u)) / 2)
//   constant:      rate * min(1, s / w)
double learning_rate(const RateSchedule& schedule, int64_t step);

// The decay of the exponential moving average at step s = 1, 2, ...: min(limit, (1 + s) / (10 +
// s)), so that the random initial weights soon lose their influence.
double ema_decay(double limit, int64_t step);

}  // namespace heed
