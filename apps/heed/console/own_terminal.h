// Whether the terminal that a program was started in has been closed.
#pragma once

namespace heed {

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
