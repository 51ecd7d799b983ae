// training/samples.jsonl: sample outputs of a run, for its page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "heed/pages/run_page.h"
#include "heed/tasks/sample_outputs.h"

namespace heed {

StoredSample stored_sample(int64_t step, const SampleOutput& sample);

class SamplesLog {
 public:
  explicit SamplesLog(std::filesystem::path path) : path_(std::move(path)) {}

  // Drops the samples of steps after `step`, which a resumed run writes again.
  void truncate_after(int64_t step) const;
  // One JSON object a line. Error if the file cannot be written.
  void add(const std::vector<StoredSample>& samples) const;
  // The samples of the file, in its order; empty if there is no file. Lines that are not samples
  // are skipped. Error for a file above 1 GiB.
  std::vector<StoredSample> read() const;

 private:
  std::filesystem::path path_;
};

}  // namespace heed
