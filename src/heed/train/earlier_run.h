// A backup of the files that a run replaces, kept until the run has saved something.
#pragma once

#include <filesystem>
#include <vector>

#include "heed/core/descriptor.h"
#include "heed/train/run_files.h"
#include "heed/train/train_options.h"

namespace heed {

// Moves the files of an earlier run, and other files with their names, aside. The destructor moves
// them back and removes new files, unless forget() was called: a training that is refused, or fails
// before it saves anything, leaves the folder as it was. After a kill, the next object for the
// folder moves back what is still aside, in its constructor. The folder must be locked
// (DirectoryLock).
class EarlierRun {
 public:
  explicit EarlierRun(std::filesystem::path directory);
  EarlierRun(const EarlierRun&) = delete;
  EarlierRun& operator=(const EarlierRun&) = delete;
  // Throws nothing: what it cannot move back stays aside for the next object. Touches nothing where
  // the folder was moved or replaced.
  ~EarlierRun();

  // UsageError where the training of `options` reads a file that it would replace.
  void expect_unread(const TrainOptions& options) const;
  // Moves all files aside that the training of `options` would replace: held-out pairs only with
  // --hold-out or --overwrite.
  void put_aside(const TrainOptions& options);
  // Removes what was moved aside; files that are new since the construction stay. Repeated calls do
  // nothing.
  void forget();

 private:
  std::vector<std::filesystem::path> to_replace(const TrainOptions& options) const;
  void put_back();
  void remove_new_files();

  RunFiles files_;
  Descriptor folder_;  // the directory itself, whatever name it has
  // Folders below training/ with files that are being moved, that were all moved, and that are to
  // be removed.
  std::filesystem::path moving_, aside_, given_up_;
  std::vector<std::filesystem::path> before_;  // the files at the construction
  bool forgotten_ = false;
};

}  // namespace heed
