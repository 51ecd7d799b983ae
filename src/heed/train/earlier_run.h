// The files of an earlier run in the folder of a new one, which replaces them once it can begin.
#pragma once

#include <filesystem>

#include "heed/train/options.h"
#include "heed/train/run_files.h"

namespace heed {

// Puts the files of an earlier run aside and, unless told to forget them, back again: a training
// that is refused for its vocabulary, its text or its memory leaves the old model as it was. So
// does one that is killed: the next to come puts back what it finds aside.
class EarlierRun {
 public:
  explicit EarlierRun(std::filesystem::path directory);
  EarlierRun(const EarlierRun&) = delete;
  EarlierRun& operator=(const EarlierRun&) = delete;
  ~EarlierRun();

  // Puts all its files aside. UsageError where the training of `options` reads one of them.
  void put_aside(const TrainOptions& options);
  // Removes them for good.
  void forget();

 private:
  void put_back();

  RunFiles files_;
  // Below training/: on their way aside or back; all aside; given up.
  std::filesystem::path moving_, aside_, given_up_;
};

}  // namespace heed
