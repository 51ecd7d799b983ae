// metrics.jsonl, the log of a run for programs and plots: one JSON object per report.
#pragma once

#include <filesystem>

#include "heed/train/observer.h"

namespace heed {

class MetricsLog {
 public:
  explicit MetricsLog(std::filesystem::path path) : path_(std::move(path)) {}

  // Drops the reports of steps after `step` and of the average of checkpoints, which a resumed run
  // writes again.
  void truncate_after(int64_t step) const;
  // Appends {"kind": "train", ...}, {"kind": "validation", ...} or, for the average of checkpoints
  // (--average), {"kind": "average", ...}. Error if the file cannot be written.
  void add(const TrainReport& report) const;
  void add(const ValidationReport& report) const;

 private:
  std::filesystem::path path_;
};

}  // namespace heed
