// The clock of a run, and the sums from which its reports are computed.
#pragma once

#include <chrono>
#include <optional>

#include "heed/run/observer.h"
#include "heed/train/training_loop.h"

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
  // The time of this process alone.
  double process_seconds() const { return process_.seconds(); }

  // Called before each step, when this fraction of the run's steps is done; the first call of the
  // process counts.
  void start_step(double fraction_of_steps);
  // Corrects that fraction, once the number of steps is known.
  void set_fraction_before(double fraction_of_steps) { fraction_before_ = fraction_of_steps; }
  // Since the first step: of steps, validations and saving.
  double step_seconds() const { return steps_ ? steps_->seconds() : 0; }
  // Estimated from the speed of this process, without its preparation; nothing before its first
  // step, or if neither --steps nor --epochs limits the run.
  std::optional<double> seconds_left(double fraction_of_steps) const;
  // Called when the run was saved.
  void save() { since_save_.restart(); }
  // Since the run was saved, or began.
  double unsaved_seconds() const { return since_save_.seconds(); }

 private:
  Stopwatch process_, since_save_;
  std::optional<Stopwatch> steps_;
  double earlier_ = 0, fraction_before_ = 0;
};

// The steps since the last report.
class ReportWindow {
 public:
  void add(const StepResult& step, double seconds);
  bool empty() const { return sum_.loss.tokens == 0; }
  // A report with the losses, the gradient norm and the speed only.
  TrainReport means() const;

 private:
  StepResult sum_;  // the norm is the last step's
  double seconds_ = 0;
};

}  // namespace heed
