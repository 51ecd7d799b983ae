// training/report.html: the page of a run, kept up to date while it trains.
#pragma once

#include <functional>

#include "heed/run/prepared_run.h"
#include "heed/run/run_reports.h"
#include "heed/run/samples_log.h"
#include "heed/run/time_share.h"

namespace heed {

// Collects the reports of a run, and writes its page as often as that takes at most 0.2 % of the
// time of the process, and at the end. If the run does not end with finish(), the destructor writes
// the page of an interrupted run. A run goes on without its page: after an Error, as of a full
// disk, the observer gets a warning, and no more is written. In the same way the page goes on
// without samples.
class RunReport {
 public:
  // Continues the run after `step` steps: reads its metrics, and drops samples of later steps.
  // `run` and the observer must outlive the report. Error if what an earlier process wrote cannot
  // be read.
  RunReport(const PreparedRun& run, TrainObserver& observer, int64_t parameters, int64_t step);
  RunReport(const RunReport&) = delete;
  RunReport& operator=(const RunReport&) = delete;
  ~RunReport();

  void add(const TrainReport& report);
  void add(const ValidationReport& report);

  // Sample outputs of a step, which take at most 0.2 % of the time, too; those of the last
  // step are made in any case. `translate` may throw an Error, as of text that is gone.
  enum class SamplesOf { some_step, last_step };
  void add_samples(int64_t step, SamplesOf which,
                   const std::function<std::vector<SampleOutput>()>& translate);

  // Writes the page of a complete run.
  void finish();

 private:
  static constexpr double kShare = 0.002;

  void write(RunStatus status);
  void write_if_due();
  // Calls `write`; an Error becomes the warning.
  void try_to(const std::function<void()>& write);

  const PreparedRun& prepared_;
  TrainObserver& observer_;
  const SamplesLog samples_;
  RunHistory run_;
  const Stopwatch process_;
  TimeShare pages_{kShare}, translations_{kShare};
  int64_t sampled_step_ = -1;  // of the last samples
  bool open_ = false;          // whether the page that was last written is of a run in progress
  bool failed_ = false;        // whether the page could not be written
  bool samples_failed_ = false;
};

}  // namespace heed
