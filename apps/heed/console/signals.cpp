#include "console/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "heed/core/descriptor.h"
#include "heed/core/temporary_file.h"

namespace heed {
namespace {

// A signal's default action, after the temporary files are removed: ends the program as the signal
// would. For signal handlers.
void end_by_signal(int signal) {
  remove_temporary_files();
  std::signal(signal, SIG_DFL);
  ::raise(signal);  // comes when the handler returns
}

// Allocates nothing and calls only what a signal handler may.
[[noreturn]] void end_with(std::string_view text) {
  static std::atomic_flag ended;  // several threads may run out of memory
  while (ended.test_and_set()) ::pause();
  const ssize_t written = ::write(2, text.data(), text.size());
  ::_exit(written > 0 ? 1 : 2);
}

extern "C" void report_cut_file(int signal, siginfo_t* information, void*) {
  if (information->si_code != BUS_ADRERR) {  // a bug of ours: as without a handler
    std::signal(signal, SIG_DFL);
    return;
  }
  end_with(
      "heed: a file became shorter while it was read: another program wrote to it; what was saved "
      "before is untouched: run again, and replace files by renaming new ones\n");
}

extern "C" void end_cleanly(int signal) {
  end_by_signal(signal);
}

[[noreturn]] void report_lost_thread() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    end_with(
        "heed: out of memory while a vocabulary is learnt: grant more, or give "
        "--tokenizer-model\n");
  } catch (...) {
    // A bug of ours: the program ends as it would without a handler.
  }
  std::abort();
}

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

bool has_terminal() {
  return Descriptor(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)).get() >= 0;
}

bool ignores_hang_up() {
  struct sigaction action = {};
  sigaction(SIGHUP, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

void install_fatal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) std::signal(signal, end_cleanly);  // nohup ignores
  }
  struct sigaction action = {};
  action.sa_sigaction = report_cut_file;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
  std::set_terminate(report_lost_thread);
}

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

OwnTerminal::OwnTerminal() : owned_(!ignores_hang_up() && has_terminal()) {}

bool OwnTerminal::was_closed(int signal) {
  if (!owned_) return false;
  // The kernel may take the terminal away a moment after it sends SIGHUP.
  const bool closed = std::exchange(hung_up_, signal == SIGHUP) || signal == SIGHUP;
  if (has_terminal()) {
    calls_without_ = 0;
    return false;
  }
  constexpr int kCalls = 4;  // the shell sends its SIGHUP sooner
  if (!closed && ++calls_without_ == kCalls) owned_ = false;
  return closed;
}

}  // namespace heed
