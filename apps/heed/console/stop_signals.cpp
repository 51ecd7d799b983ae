#include "console/stop_signals.h"

#include <unistd.h>

#include <string_view>

#include "console/last_words.h"

namespace heed {
namespace {

// A handler has no argument to reach an object through, so these two variables are global.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t received_signal = 0, steps_are_finished = 0;

void say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(2, text.data(), text.size());
}

extern "C" void note_signal(int signal) {
  if (received_signal != 0) {
    if (signal != SIGHUP) end_by_signal(signal);
    return;
  }
  if (steps_are_finished == 0) {
    say("heed: stopped while the training was prepared: nothing was saved\n");
    return end_by_signal(signal);
  }
  received_signal = signal;
  say("heed: stopping at the end of this step, or of this stage of the preparation; a second "
      "signal stops immediately, without saving\n");
}

}  // namespace

StopSignals::StopSignals() {
  received_signal = 0;
  steps_are_finished = 0;
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    const bool nohup = kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;
    if (!nohup) sigaction(kSignals[i], &action, nullptr);
  }
}

void StopSignals::finish_steps() {
  steps_are_finished = 1;
}

StopSignals::~StopSignals() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

int StopSignals::received() const {
  return received_signal;
}

}  // namespace heed
