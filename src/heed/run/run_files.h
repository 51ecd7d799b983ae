// The names of the files that a run writes to its directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "heed/run/training_state.h"

namespace heed {

struct RunFiles {
  std::filesystem::path directory;

  std::filesystem::path metrics() const { return directory / "metrics.jsonl"; }
  std::filesystem::path held_out_source() const { return directory / "held_out.source"; }
  std::filesystem::path held_out_target() const { return directory / "held_out.target"; }
  std::filesystem::path held_out_text() const { return directory / "held_out.text"; }
  std::filesystem::path held_out_trees() const { return directory / "held_out.trees"; }

  // Files that are needed only to resume the run.
  std::filesystem::path training() const { return directory / "training"; }
  std::filesystem::path training_state() const { return training() / "state.safetensors"; }
  // Whether the directory has a training state, so that --resume continues a run.
  bool has_training_state() const;
  std::filesystem::path training_text() const { return training() / "train.corpus"; }
  std::filesystem::path links() const { return training() / "train.links"; }
  std::filesystem::path validation_text() const { return training() / "valid.corpus"; }
  // Of a further validation text, with its name.
  std::filesystem::path validation_text(const std::string& name) const;
  std::filesystem::path checkpoint(int64_t step) const;

  // The translations of the last validation; `name`: of a further validation text, or empty.
  std::filesystem::path translations(const std::string& name) const;
  // With --keep-best: the weights of the validation with the best of a number, such as "news.bleu",
  // and its translations of that text.
  std::filesystem::path best_weights(const std::string& number) const;
  std::filesystem::path best_translations(const std::string& number) const;

  // The options of the run, for `heed train --config`.
  std::filesystem::path settings() const { return training() / "settings.toml"; }

  // The run's page, and the samples that it shows.
  std::filesystem::path report() const { return training() / "report.html"; }
  std::filesystem::path samples() const { return training() / "samples.jsonl"; }

  // The existing checkpoints, by step.
  std::map<int64_t, std::filesystem::path> checkpoints() const;
  // Deletes the checkpoints of other steps, and the temporary files of checkpoints.
  void remove_checkpoints_except(const std::vector<Checkpoint>& kept) const;

  // All existing files with the names of a run's files, including its model and temporary files.
  // Any other file in the directory, and every directory in it, belongs to the user. config.json
  // comes first: once it is moved, the directory no longer opens as a model.
  std::vector<std::filesystem::path> present() const;
};

}  // namespace heed
