// Signals, and one-line messages for failures that cannot be caught as exceptions.
#pragma once

#include <array>
#include <csignal>
#include <stdexcept>
#include <string>

namespace heed {

// From now on SIGINT, SIGTERM and SIGHUP remove temporary files before they end the program, and
// these end it with one line and exit status 1:
// - a file that another program truncates while it is mapped (SIGBUS);
// - std::bad_alloc in a thread of SentencePiece's trainer, which does not catch it.
void install_fatal_handlers();

// SIGINT, SIGTERM and SIGHUP as a request to finish the step, save and stop. During its lifetime, a
// SIGINT, SIGTERM or SIGHUP (a closed terminal) ends the program immediately, with a line that
// nothing was saved, until finish_steps() is called. After that the first one is recorded, and a
// second one ends the program immediately, but for SIGHUP: shell and kernel each send it when a
// terminal is closed. A SIGHUP that is ignored, as by nohup, stays ignored.
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

// Distinguishes a SIGHUP that tells of a closed terminal from one that a user sends to a server.
class OwnTerminal {
 public:
  OwnTerminal();

  // To be called with each signal received, and with 0 about twice a second: whether the
  // controlling terminal was closed, and SIGHUP told so. Never for a program that ignores SIGHUP
  // (nohup) or that no SIGHUP reached when its terminal was closed (disown).
  bool was_closed(int signal);

 private:
  bool owned_;            // the program has a terminal, with which it ends
  bool hung_up_ = false;  // the last call was with SIGHUP
  int calls_without_ = 0;
};

}  // namespace heed
