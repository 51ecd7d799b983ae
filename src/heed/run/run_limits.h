// The limits of a run: --epochs, --steps, --minutes and --patience.
#pragma once

#include <string>

#include "heed/run/train_options.h"
#include "heed/run/training_state.h"

namespace heed {

// The first of these options whose limit is reached, with its value ("--steps 300"); empty if none
// is reached.
std::string reached_limit(const TrainOptions& options, const Progress& progress);

// Whether the run ends at the step that was estimated for --minutes (Progress::decay_steps).
bool ends_at_estimate(const TrainOptions& options, const Progress& progress);

// The first steps of a process, by whose speed it estimates how many --minutes allows.
inline constexpr int64_t kStepsToEstimate = 100;

// The step at which `minutes` are over, by the speed of `timed_steps` that took `timed_seconds`; at
// least the steps done.
int64_t steps_within(double minutes, const Progress& progress, int64_t timed_steps,
                     double timed_seconds);

// Whether --patience is reached.
bool out_of_patience(const TrainOptions& options, const Progress& progress);

// The fraction of the run's steps that is done, 0 to 1, by --steps or --epochs, whichever ends
// first; 0 if neither is a limit. `epoch` counts epochs with the fraction of the current one.
double fraction_of_steps(const TrainOptions& options, const Progress& progress, double epoch);

// The fraction of the run that is done, 0 to 1, by the limit that is nearest, --minutes included.
double fraction_done(const TrainOptions& options, const Progress& progress, double epoch);

}  // namespace heed
