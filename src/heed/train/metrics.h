// metrics.jsonl: one JSON object a report, for programs and plots.
#pragma once

#include <filesystem>

#include "heed/train/observer.h"

namespace heed {

class Metrics {
 public:
  explicit Metrics(std::filesystem::path path) : path_(std::move(path)) {}

  // Forgets reports of later steps and of the average: a resumed run writes them again.
  void keep_up_to(int64_t step) const;
  // Appends {"kind": "train", ...}, {"kind": "validation", ...} or, for the mean of checkpoints
  // that the run leaves, {"kind": "average", ...}. Error if it cannot be written.
  void add(const TrainReport& report) const;
  void add(const ValidationReport& report) const;

 private:
  std::filesystem::path path_;
};

}  // namespace heed
