// The logs of a run: metrics.jsonl, --tensorboard, its page, and the observer.
#pragma once

#include <optional>

#include "heed/run/metrics_log.h"
#include "heed/run/run_report.h"
#include "heed/run/tensorboard_log.h"

namespace heed {

class RunLogs {
 public:
  // Continues the logs of a run after `step` steps: what they have of later ones is dropped. The
  // run and the observer must outlive them. Error if a log cannot be read or written.
  RunLogs(const PreparedRun& run, TrainObserver& observer, int64_t parameters, int64_t step)
      : observer_(observer), metrics_(run.files.metrics()) {
    metrics_.truncate_after(step);
    if (!run.settings.options.tensorboard.empty()) tensorboard_.emplace(run.settings.options, step);
    if (run.settings.options.report) page_.emplace(run, observer, parameters, step);
  }

  void add(const TrainReport& report) {
    write(report);
    observer_.report(report);
  }
  void add(const ValidationReport& report) {
    write(report);
    observer_.validated(report);
  }

  // Null without --report.
  RunReport* page() { return page_ ? &*page_ : nullptr; }

 private:
  void write(const auto& report) {
    metrics_.add(report);
    if (tensorboard_) tensorboard_->add(report);
    if (page_) page_->add(report);
  }

  TrainObserver& observer_;
  const MetricsLog metrics_;
  std::optional<TensorBoardLog> tensorboard_;
  std::optional<RunReport> page_;
};

}  // namespace heed
