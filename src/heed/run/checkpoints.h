// Checkpoints, the weights of a run at some of its steps: which of them it keeps, and which of them
// --average averages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "heed/model/parameters.h"

namespace heed {

struct CheckpointSettings {
  enum class Average { none, last, best } average = Average::none;
  int64_t averaged = 0;  // number of checkpoints of the average
  int64_t kept = 0;      // number of checkpoints that the run keeps, at least `averaged`
};

struct Checkpoint {
  int64_t step = 0;
  std::optional<double> score;  // of its validation, greater is better; empty without validation
};

// Writes the parameters to a file that StoredWeights (run/averaging.h) reads. The file is
// replaced atomically.
void save_checkpoint(const std::filesystem::path& path, const std::vector<Parameter>& parameters);

// Whether --average can choose among `kept`: best:K needs the score of each.
bool can_average(const CheckpointSettings& settings, const std::vector<Checkpoint>& kept);

// Appends the checkpoint of the latest step to `kept`, oldest first. If these are then too many,
// drops the oldest, or with --average best:K the worst (of equals, the oldest).
void add_checkpoint(const CheckpointSettings& settings, const Checkpoint& latest,
                    std::vector<Checkpoint>& kept);

// The checkpoints that --average averages, in the order in which they are summed: the latest or the
// best first. Empty without --average.
std::vector<Checkpoint> checkpoints_to_average(const CheckpointSettings& settings,
                                               const std::vector<Checkpoint>& kept);

}  // namespace heed
