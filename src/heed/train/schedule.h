// Schedules by step: the learning rate (section 5.3) and the decay of the moving average.
#pragma once

#include "heed/train/train_options.h"

namespace heed {

// The learning rate of step 1, 2, ... With s = step, w = warmup_steps, N = decay_steps,
// f = final_fraction and u = min(1, (s - w) / (N - w)), where `options` are as
// with_data_defaults() returns them (train/resolved_options.h; with_defaults() is enough for noam,
// inverse-sqrt and constant); `factor` and `peak` are its learning_rate:
//   noam:          factor * d_model^-0.5 * min(s^-0.5, s * w^-1.5), equation 3
//   inverse-sqrt:  peak * min(s / w, (w / s)^0.5)
//   linear:        peak * s / w up to step w, then peak * (1 - (1 - f) * u)
//   cosine:        peak * s / w up to step w, then peak * (f + (1 - f) * (1 + cos(pi * u)) / 2)
//   constant:      peak * min(1, s / w)
// Before N is known (decays_by_minutes()), linear and cosine stay at the peak.
double learning_rate(const TrainOptions& options, int64_t d_model, int64_t step);

// The decay of the exponential moving average at step s = 1, 2, ...: min(limit, (1 + s) / (10 +
// s)), so that the random initial weights soon lose their influence.
double ema_decay(double limit, int64_t step);

}  // namespace heed
