// SIGINT and SIGTERM as a request to finish the step, save and end.
#pragma once

#include <csignal>
#include <stdexcept>
#include <string>

namespace heed {

// While it lives, a SIGINT or SIGTERM ends the program at once, with a line that nothing was saved,
// until finish_steps() is called. From then on the first one is noted, and a second one ends the
// program at once.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  void finish_steps();
  // The signal that came; 0 if none did.
  int received() const;

 private:
  struct sigaction interrupt_ = {}, terminate_ = {};  // what stood before
};

// The end of a command that a signal asked for: a line, and 128 + the signal's number as the
// status.
class StoppedBySignal : public std::runtime_error {
 public:
  StoppedBySignal(int signal, const std::string& text)
      : std::runtime_error(text), status_(128 + signal) {}
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace heed
