// The directory of a run: whether the run may have it, and a backup of the files that it replaces,
// kept until the run has saved something.
#pragma once

#include <filesystem>
#include <vector>

#include "heed/core/descriptor.h"
#include "heed/run/run_files.h"
#include "heed/run/train_options.h"

namespace heed {

// UsageError if the directory holds a model or training state that the options neither resume nor
// overwrite, or too many other files. Error if that of --tensorboard cannot be written to.
void expect_directories(const TrainOptions& options, const RunFiles& files);

// Moves the files of an earlier run, and other files with their names, to a backup directory. The
// destructor restores them and removes new files, unless discard() was called: a run that is
// refused, or fails before it saves anything, leaves the directory unchanged. If the process was
// killed before that, the constructor of the next object for the directory restores what is in the
// backup. The directory must be locked (DirectoryLock).
class RunBackup {
 public:
  explicit RunBackup(std::filesystem::path directory);
  RunBackup(const RunBackup&) = delete;
  RunBackup& operator=(const RunBackup&) = delete;
  // Throws nothing: files that it cannot restore stay in the backup for the next object. Does
  // nothing if the directory was moved or replaced.
  ~RunBackup();

  // UsageError if the run of these options reads a file that it would replace.
  void check_inputs(const TrainOptions& options) const;
  // Moves all files to the backup that the run of these options would replace: held-out pairs only
  // with --hold-out or --overwrite.
  void back_up(const TrainOptions& options);
  // Deletes the backup; files that are new since the construction stay. Repeated calls do nothing.
  void discard();

 private:
  std::vector<std::filesystem::path> files_to_replace(const TrainOptions& options) const;
  void restore();
  void remove_new_files();

  RunFiles files_;
  Descriptor directory_;  // the directory itself, whatever name it has
  // Directories below training/: a backup in the middle of a move, a complete one, one to be
  // deleted.
  std::filesystem::path partial_, complete_, discarded_;
  std::vector<std::filesystem::path> before_;  // the files at the construction
  bool is_discarded_ = false;
};

}  // namespace heed
