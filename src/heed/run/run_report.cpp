#include "heed/run/run_report.h"

#include "heed/core/error.h"
#include "heed/core/files.h"
#include "heed/pages/run_page.h"
#include "heed/run/metrics_log.h"
#include "heed/run/run_history.h"
#include "heed/run/training_state.h"

namespace heed {

RunReport::RunReport(const PreparedRun& run, TrainObserver& observer, int64_t parameters,
                     int64_t step)
    : prepared_(run), observer_(observer), samples_(run.files.samples()) {
  samples_.truncate_after(step);
  run_.name = run.files.directory.string();
  run_.config = run.config;
  run_.parameters = parameters;
  run_.training_text = fingerprint_text(run.fingerprint);
  if (run.validation_fingerprint)
    run_.validation_text = fingerprint_text(*run.validation_fingerprint);
  run_.metrics = MetricsLog(run.files.metrics()).read();
  run_.samples = samples_.read();
  if (!run_.samples.empty()) sampled_step_ = run_.samples.back().step;
}

RunReport::~RunReport() {
  if (!open_ || failed_) return;
  try {
    write(RunStatus::interrupted);
  } catch (const std::exception&) {
    // The page of the last report stays.
  }
}

void RunReport::add(const TrainReport& report) {
  run_.metrics.reports.push_back(report);
  write_if_due();
}

void RunReport::add(const ValidationReport& report) {
  run_.metrics.validations.push_back(report);
  write_if_due();
}

void RunReport::add_samples(int64_t step, SamplesOf which,
                            const std::function<std::vector<SampleOutput>()>& translate) {
  if (failed_ || samples_failed_ || step == sampled_step_) return;
  if (which == SamplesOf::some_step && !translations_.allows_one(process_.seconds())) return;
  const Stopwatch time;
  std::vector<StoredSample> stored;
  try {
    for (const SampleOutput& sample : translate()) stored.push_back(stored_sample(step, sample));
    if (!stored.empty()) samples_.add(stored);
  } catch (const Error& error) {
    samples_failed_ = true;
    observer_.warning(
        fmt::format("no more samples are made for the page of the run: {}", error.what()));
    return;
  }
  run_.samples.insert(run_.samples.end(), stored.begin(), stored.end());
  sampled_step_ = step;
  translations_.spend(time.seconds());
}

void RunReport::finish() {
  if (!run_.metrics.reports.empty()) try_to([&] { write(RunStatus::complete); });
}

// In the first report of a run a reader sees that it began: that page is always written.
void RunReport::write_if_due() {
  if (run_.metrics.reports.empty() || (open_ && !pages_.allows_one(process_.seconds()))) return;
  try_to([&] { write(RunStatus::running); });
}

void RunReport::try_to(const std::function<void()>& write) {
  if (failed_) return;
  try {
    write();
  } catch (const Error& error) {
    failed_ = true;
    observer_.warning(
        fmt::format("the page of the run is not kept up to date any more: {}", error.what()));
  }
}

void RunReport::write(RunStatus status) {
  const Stopwatch time;
  prepared_.lock.expect_in_place();
  run_.status = status;
  run_.options = set_options(to_json(prepared_.settings.options));  // decay_steps may be new
  open_ = status == RunStatus::running;
  write_file_atomically(prepared_.files.report(),
                        run_page_html({&run_, 1}, open_ ? PageOf::run_in_progress : PageOf::files));
  pages_.spend(time.seconds());
}

}  // namespace heed
