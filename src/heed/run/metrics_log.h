// metrics.jsonl, the log of a run for programs and plots: one JSON object per report.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "heed/pages/run_page.h"

namespace heed {

// "m/metrics.jsonl: 2 lines left out as damaged or not of heed, the first: line 3: ...".
std::string damage_text(const RunMetrics& metrics, const std::filesystem::path& path);

class MetricsLog {
 public:
  explicit MetricsLog(std::filesystem::path path) : path_(std::move(path)) {}

  // Drops the reports of steps after `step` and of the average of checkpoints, which a resumed run
  // writes again.
  void truncate_after(int64_t step) const;
  // The reports of the file, in its order; empty if there is no file. Lines that are not reports of
  // heed, or have a value that none has (text as loss, a negative step), are skipped and counted,
  // but for a last one that a kill cut short. Values that are missing or null are NaN or nothing.
  // Error for a file above 1 GiB.
  RunMetrics read() const;
  // Appends {"kind": "train", ...}, {"kind": "validation", ...} or, for the average of checkpoints
  // (--average), {"kind": "average", ...}. Error if the file cannot be written.
  void add(const TrainReport& report) const;
  void add(const ValidationReport& report) const;

 private:
  std::filesystem::path path_;
};

}  // namespace heed
