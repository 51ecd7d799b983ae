// How the learning rate moves with the step (section 5.3).
#pragma once

#include "heed/train/options.h"

namespace heed {

// The rate of step 1, 2, ...
//   noam:          factor * d_model^-0.5 * min(step^-0.5, step * warmup^-1.5), equation 3
//   inverse-sqrt:  peak * min(step / warmup, (warmup / step)^0.5)
//   constant:      peak * min(1, step / warmup)
double learning_rate(const TrainOptions& options, int64_t d_model, int64_t step);

}  // namespace heed
