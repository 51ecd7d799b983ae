// SIGINT, SIGTERM and SIGHUP as a request to finish the step, save and stop.
#pragma once

#include <array>
#include <csignal>
#include <stdexcept>
#include <string>

namespace heed {

// During its lifetime, a SIGINT, SIGTERM or SIGHUP (a closed terminal) ends the program
// immediately, with a line that nothing was saved, until finish_steps() is called. After that the
// first one is recorded, and a second one ends the program immediately, but for SIGHUP: shell and
// kernel each send it when a terminal is closed. A SIGHUP that is ignored, as by nohup, stays
// ignored.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  void finish_steps();
  // The signal that was received; 0 if none.
  int received() const;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_ = {};  // the handlers to restore
};

// Ends a command after a signal: a line, and 128 + the signal's number as the status.
class StoppedBySignal : public std::runtime_error {
 public:
  StoppedBySignal(int signal, const std::string& text)
      : std::runtime_error(text), status_(128 + signal) {}
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace heed
