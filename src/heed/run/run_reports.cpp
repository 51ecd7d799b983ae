#include "heed/run/run_reports.h"

namespace heed {

void RunClock::start_step(double fraction_of_steps) {
  if (steps_) return;
  steps_.emplace();
  fraction_before_ = fraction_of_steps;
}

std::optional<double> RunClock::seconds_left(double fraction_of_steps) const {
  const double here = fraction_of_steps - fraction_before_;
  if (!steps_ || here <= 0) return {};
  return steps_->seconds() * (1 - fraction_of_steps) / here;
}

void ReportWindow::add(const StepResult& step, double seconds) {
  sum_.loss += step.loss;
  sum_.tokens += step.tokens;
  seconds_ += seconds;
  sum_.gradient_norm = step.gradient_norm;
}

TrainReport ReportWindow::means() const {
  TrainReport r;
  r.loss = sum_.loss.smoothed / double(sum_.loss.tokens);
  r.nll = sum_.loss.nll / double(sum_.loss.tokens);
  if (sum_.loss.aligned_tokens > 0)
    r.alignment_loss = sum_.loss.alignment / double(sum_.loss.aligned_tokens);
  r.gradient_norm = sum_.gradient_norm;
  r.tokens_per_second = sum_.tokens / seconds_;
  return r;
}

}  // namespace heed
