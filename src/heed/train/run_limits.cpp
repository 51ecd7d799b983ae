#include "heed/train/run_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/train/resolved_options.h"

namespace heed {

std::string reached_limit(const TrainOptions& options, const Progress& progress) {
  const auto epochs = epoch_limit(options);
  if (epochs && progress.epoch >= *epochs) return fmt::format("--epochs {}", *epochs);
  if (options.steps && progress.step >= *options.steps)
    return fmt::format("--steps {}", *options.steps);
  if (options.minutes && progress.seconds >= *options.minutes * 60)
    return fmt::format("--minutes {}", *options.minutes);
  if (out_of_patience(options, progress)) return fmt::format("--patience {}", options.patience);
  return "";
}

bool out_of_patience(const TrainOptions& options, const Progress& progress) {
  return options.patience > 0 && progress.since_best >= options.patience;
}

double fraction_of_steps(const TrainOptions& options, const Progress& progress, double epoch) {
  double done = 0;
  if (options.steps) done = std::max(done, double(progress.step) / double(*options.steps));
  if (const auto epochs = epoch_limit(options)) done = std::max(done, epoch / double(*epochs));
  return std::min(done, 1.0);
}

double fraction_done(const TrainOptions& options, const Progress& progress, double epoch) {
  const double done = fraction_of_steps(options, progress, epoch);
  if (!options.minutes) return done;
  return std::min(std::max(done, progress.seconds / (*options.minutes * 60)), 1.0);
}

}  // namespace heed
