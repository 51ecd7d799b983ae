#include "heed/run/run_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heed {

bool stage_ended(const RunLimits& limits, const Progress& progress) {
  if (progress.stages.empty()) return false;
  const StageBegin& begin = progress.stages.back();
  const StageLimit& limit = limits.stages[progress.stages.size() - 1];
  switch (limit.end) {
    case StageEnd::with_run:
      return false;
    case StageEnd::epochs:
      return progress.epoch - begin.epoch >= limit.count;
    case StageEnd::steps:
      return progress.step - begin.step >= limit.count;
    case StageEnd::patience:
      return validations_since_best(limits.patience_on, progress) >= limit.count;
  }
  return false;
}

bool stages_ended(const RunLimits& limits, const Progress& progress) {
  return progress.stages.size() == limits.stages.size() && stage_ended(limits, progress);
}

std::string reached_limit(const RunLimits& limits, const Progress& progress) {
  if (limits.epochs && progress.epoch >= *limits.epochs)
    return fmt::format("--epochs {}", *limits.epochs);
  if (limits.steps && progress.step >= *limits.steps)
    return fmt::format("--steps {}", *limits.steps);
  if (ends_at_estimate(limits, progress)) {
    if (progress.step >= *progress.decay_steps)
      return fmt::format("the end of its schedule (step {}, estimated for --minutes)",
                         *progress.decay_steps);
  } else if (limits.minutes && progress.seconds >= *limits.minutes * 60) {
    return fmt::format("--minutes {}", *limits.minutes);
  }
  if (stages_ended(limits, progress))
    return fmt::format("the end of the last stage ({})", limits.stages.back().text);
  if (out_of_patience(limits, progress)) return fmt::format("--patience {}", limits.patience);
  return "";
}

bool ends_at_estimate(const RunLimits& limits, const Progress& progress) {
  return progress.decay_steps && !limits.steps && !limits.epochs;
}

int64_t steps_within(double minutes, const Progress& progress, int64_t timed_steps,
                     double timed_seconds) {
  const double left = std::max(0.0, minutes * 60 - progress.seconds);
  const double steps = std::floor(left * double(timed_steps) / std::max(timed_seconds, 1e-9));
  return std::max(progress.step, int64_t(std::min(double(progress.step) + steps, kMaxSteps)));
}

int64_t validations_since_best(PatienceOn patience_on, const Progress& progress) {
  if (patience_on == PatienceOn::metric || progress.followed.empty()) return progress.since_best;
  const auto [least, most] = std::ranges::minmax(progress.followed, {}, &FollowedScore::since_best);
  return patience_on == PatienceOn::any ? most.since_best : least.since_best;
}

bool out_of_patience(const RunLimits& limits, const Progress& progress) {
  return limits.patience > 0 &&
         validations_since_best(limits.patience_on, progress) >= limits.patience;
}

double fraction_of_steps(const RunLimits& limits, const Progress& progress, double epoch) {
  double done = 0;
  if (limits.steps) done = std::max(done, double(progress.step) / double(*limits.steps));
  if (ends_at_estimate(limits, progress))
    done = std::max(done, double(progress.step) / double(*progress.decay_steps));
  if (limits.epochs) done = std::max(done, epoch / double(*limits.epochs));
  return std::min(done, 1.0);
}

double fraction_done(const RunLimits& limits, const Progress& progress, double epoch) {
  const double done = fraction_of_steps(limits, progress, epoch);
  if (!limits.minutes || ends_at_estimate(limits, progress)) return done;
  return std::min(std::max(done, progress.seconds / (*limits.minutes * 60)), 1.0);
}

}  // namespace heed
