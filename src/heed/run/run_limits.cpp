#include "heed/run/run_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/run/resolved_options.h"

namespace heed {

std::string reached_limit(const TrainOptions& options, const Progress& progress) {
  const auto epochs = epoch_limit(options);
  if (epochs && progress.epoch >= *epochs) return fmt::format("--epochs {}", *epochs);
  if (options.steps && progress.step >= *options.steps)
    return fmt::format("--steps {}", *options.steps);
  if (ends_at_estimate(options, progress)) {
    if (progress.step >= *progress.decay_steps)
      return fmt::format("the end of its schedule (step {}, estimated for --minutes)",
                         *progress.decay_steps);
  } else if (options.minutes && progress.seconds >= *options.minutes * 60) {
    return fmt::format("--minutes {}", *options.minutes);
  }
  if (out_of_patience(options, progress)) return fmt::format("--patience {}", options.patience);
  return "";
}

bool ends_at_estimate(const TrainOptions& options, const Progress& progress) {
  return progress.decay_steps && !options.steps && !epoch_limit(options);
}

int64_t steps_within(double minutes, const Progress& progress, int64_t timed_steps,
                     double timed_seconds) {
  const double left = std::max(0.0, minutes * 60 - progress.seconds);
  const double steps = std::floor(left * double(timed_steps) / std::max(timed_seconds, 1e-9));
  return std::max(progress.step, int64_t(std::min(double(progress.step) + steps, kMaxSteps)));
}

bool out_of_patience(const TrainOptions& options, const Progress& progress) {
  return options.patience > 0 && progress.since_best >= options.patience;
}

double fraction_of_steps(const TrainOptions& options, const Progress& progress, double epoch) {
  double done = 0;
  if (options.steps) done = std::max(done, double(progress.step) / double(*options.steps));
  if (ends_at_estimate(options, progress))
    done = std::max(done, double(progress.step) / double(*progress.decay_steps));
  if (const auto epochs = epoch_limit(options)) done = std::max(done, epoch / double(*epochs));
  return std::min(done, 1.0);
}

double fraction_done(const TrainOptions& options, const Progress& progress, double epoch) {
  const double done = fraction_of_steps(options, progress, epoch);
  if (!options.minutes || ends_at_estimate(options, progress)) return done;
  return std::min(std::max(done, progress.seconds / (*options.minutes * 60)), 1.0);
}

}  // namespace heed
