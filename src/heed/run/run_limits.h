// The limits of a run: --epochs, --steps, --minutes and --patience.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "heed/run/stages.h"
#include "heed/run/training_state.h"

namespace heed {

struct RunLimits {
  std::optional<int64_t> epochs = {}, steps = {};
  std::optional<double> minutes = {};
  int64_t patience = 0;  // validations without improvement; 0: no limit
  PatienceOn patience_on = PatienceOn::metric;
  std::vector<StageLimit> stages = {};  // the end of the last one is that of the run
};

// Whether the stage that the progress is in has ended.
bool stage_ended(const RunLimits& limits, const Progress& progress);
// Whether it is the last one, too.
bool stages_ended(const RunLimits& limits, const Progress& progress);

// The first limit that is reached, with its value ("--steps 300"); empty if none is reached.
std::string reached_limit(const RunLimits& limits, const Progress& progress);

// Whether the run ends at the step that was estimated for --minutes (Progress::decay_steps).
bool ends_at_estimate(const RunLimits& limits, const Progress& progress);

// The first steps of a process, by whose speed it estimates how many --minutes allows.
inline constexpr int64_t kStepsToEstimate = 100;

// The step at which `minutes` are over, by the speed of `timed_steps` that took `timed_seconds`; at
// least the steps done.
int64_t steps_within(double minutes, const Progress& progress, int64_t timed_steps,
                     double timed_seconds);

// The validations without improvement of what --patience-on names.
int64_t validations_since_best(PatienceOn patience_on, const Progress& progress);
// Whether --patience is reached.
bool out_of_patience(const RunLimits& limits, const Progress& progress);

// The fraction of the run's steps that is done, 0 to 1, by --steps or --epochs, whichever ends
// first; 0 if neither is a limit. `epoch` counts epochs with the fraction of the current one.
double fraction_of_steps(const RunLimits& limits, const Progress& progress, double epoch);

// The fraction of the run that is done, 0 to 1, by the limit that is nearest, --minutes included.
double fraction_done(const RunLimits& limits, const Progress& progress, double epoch);

}  // namespace heed
