// The reports of a run as curves of TensorBoard: an event file in the directory of --tensorboard.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "heed/run/observer.h"
#include "heed/run/tensorboard_events.h"
#include "heed/run/train_options.h"

namespace heed {

// Whether a file is of that kind, by its name.
bool is_event_file(const std::filesystem::path& path);

// Error if event files could not be written to this directory, which need not exist. Changes
// nothing.
void expect_event_directory(const std::filesystem::path& directory);

class TensorBoardLog {
 public:
  // Creates the directory of options.tensorboard, if it does not exist, and a file in it, to which
  // it writes the options. `step` steps are done: TensorBoard drops what earlier files have of
  // later ones, and of a new run, after 0 steps, all. Error if the file cannot be written.
  TensorBoardLog(const TrainOptions& options, int64_t step);

  // Appends the values of a report, which can be read at once. Error if the file cannot be written;
  // it then ends with the report before.
  void add(const TrainReport& report);
  void add(const ValidationReport& report);

 private:
  // One curve for each number, whose tag is the prefix and the number's name.
  template <class Report>
  void add_curves(const std::string& prefix, const Report& report);
  void append(const std::string& records);

  std::filesystem::path path_;
  uint64_t size_ = 0;  // of the file
};

}  // namespace heed
