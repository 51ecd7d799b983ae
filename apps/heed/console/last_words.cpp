#include "console/last_words.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "heed/core/temporary_file.h"

namespace heed {
namespace {

// Allocates nothing and calls only what a signal handler may.
[[noreturn]] void end_with(std::string_view text) {
  static std::atomic_flag told;  // several threads may run out of memory
  while (told.test_and_set()) ::pause();
  const ssize_t written = ::write(2, text.data(), text.size());
  ::_exit(written > 0 ? 1 : 2);
}

extern "C" void tell_cut_file(int signal, siginfo_t* information, void*) {
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

[[noreturn]] void tell_lost_thread() {
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

}  // namespace

void end_by_signal(int signal) {
  remove_temporary_files();
  std::signal(signal, SIG_DFL);
  ::raise(signal);  // comes when the handler returns
}

void leave_last_words() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) std::signal(signal, end_cleanly);  // nohup ignores
  }
  struct sigaction action = {};
  action.sa_sigaction = tell_cut_file;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
  std::set_terminate(tell_lost_thread);
}

}  // namespace heed
