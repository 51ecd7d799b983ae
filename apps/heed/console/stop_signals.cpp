#include "console/stop_signals.h"

#include <unistd.h>

#include <string_view>

#include "console/last_words.h"

namespace heed {
namespace {

// A handler has no argument to reach an object through, so this one variable is global.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t received_signal = 0;

extern "C" void note_signal(int signal) {
  if (received_signal != 0) end_by_signal(signal);
  received_signal = signal;
  constexpr std::string_view kText =
      "heed: stopping at the end of this step; a second signal stops at once, unsaved\n";
  [[maybe_unused]] const ssize_t written = ::write(2, kText.data(), kText.size());
}

}  // namespace

StopSignals::StopSignals() {
  received_signal = 0;
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

int StopSignals::received() const {
  return received_signal;
}

}  // namespace heed
