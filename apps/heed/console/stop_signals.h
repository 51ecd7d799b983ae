// SIGINT and SIGTERM as a request to finish the step, save and end.
#pragma once

#include <csignal>

namespace heed {

// While it lives, the first SIGINT or SIGTERM is noted; a second one ends the program at once.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // The signal that came; 0 if none did.
  int received() const;

 private:
  struct sigaction interrupt_ = {}, terminate_ = {};  // what stood before
};

}  // namespace heed
