// The time that a training step takes, measured before there is a vocabulary.
#pragma once

#include "heed/run/run_settings.h"
#include "heed/run/text_size.h"

namespace heed {

// Seconds of a step of a run with these options: the mean of some steps, after the first one, of
// random sentences that are as long as those of the text. Infinity if such a step does not fit into
// memory. It measures for at most about `most_seconds`, but no less than two steps.
double step_seconds(const TrainOptions& options, const TextSize& text, double most_seconds,
                    Backend& backend);

}  // namespace heed
