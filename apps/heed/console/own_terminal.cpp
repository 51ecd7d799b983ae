#include "console/own_terminal.h"

#include <fcntl.h>

#include <csignal>
#include <utility>

#include "heed/core/descriptor.h"

namespace heed {
namespace {

bool has_terminal() {
  return Descriptor(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)).get() >= 0;
}

bool ignores_hang_up() {
  struct sigaction action = {};
  sigaction(SIGHUP, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

OwnTerminal::OwnTerminal() : owned_(!ignores_hang_up() && has_terminal()) {}

bool OwnTerminal::was_closed(int signal) {
  if (!owned_) return false;
  // The kernel may take the terminal away a moment after it sends SIGHUP.
  const bool told = std::exchange(hung_up_, signal == SIGHUP) || signal == SIGHUP;
  if (has_terminal()) {
    calls_without_ = 0;
    return false;
  }
  constexpr int kCalls = 4;  // the shell sends its SIGHUP sooner
  if (!told && ++calls_without_ == kCalls) owned_ = false;
  return told;
}

}  // namespace heed
