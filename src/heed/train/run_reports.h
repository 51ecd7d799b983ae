// The clock of a run, and the sums that its reports are computed from.
#pragma once

#include <chrono>
#include <optional>

#include "heed/autograd/ops.h"
#include "heed/train/observer.h"

namespace heed {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  void restart() { start_ = std::chrono::steady_clock::now(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The time of a run in all of its processes: preparing, validating and saving count too.
class RunClock {
 public:
  // Adds the time of earlier processes.
  void resume(double seconds) { earlier_ = seconds; }
  double seconds() const { return earlier_ + process_.seconds(); }
  // Of this process alone.
  double process_seconds() const { return process_.seconds(); }

  // Starts the time of the steps, of which this share of the run was done before.
  void start_steps(double share_of_steps);
  // Estimated from the pace of this process, without its preparation; nothing where no share of the
  // steps was done in it.
  std::optional<double> seconds_left(double share_of_steps) const;

 private:
  Stopwatch process_, steps_;
  double earlier_ = 0, share_before_ = 0;
};

// What one step computed.
struct StepResult {
  Loss loss;
  double tokens = 0;  // mean of source and target tokens
  double seconds = 0;
  double gradient_norm = 0;  // before clipping
};

// The steps since the last report.
class ReportWindow {
 public:
  void add(const StepResult& step);
  bool empty() const { return sum_.loss.tokens == 0; }
  // The losses, the norm and the speed of a report.
  TrainReport means() const;

 private:
  StepResult sum_;  // the norm is the last step's
};

}  // namespace heed
