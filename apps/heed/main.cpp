// The program: runs a command, and turns what it throws into one line and a status.
#include <csignal>
#include <cstdio>
#include <new>
#include <system_error>

#include "console/command.h"
#include "console/signals.h"
#include "heed/core/error.h"
#include "heed/core/memory.h"

namespace {

constexpr int exit_failure = 1, exit_usage = 2, exit_broken_pipe = 128 + SIGPIPE;

int complain(const char* text, int status) {
  std::fprintf(stderr, "heed: %s\n", heed::message_line(text).c_str());
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  // A write to a pipe without a reader then fails with an error code, so that training continues
  // after the reader of its log has ended.
  std::signal(SIGPIPE, SIG_IGN);
  // The same for a write beyond ulimit -f.
  std::signal(SIGXFSZ, SIG_IGN);
  heed::install_fatal_handlers();
  heed::use_one_malloc_arena_if_addresses_are_limited();
  try {
    heed::Output out(1, "standard output");
    heed::Console console(out);
    const int status = heed::run_program({argv + 1, argv + argc}, console);
    out.flush();
    return status;
  } catch (const heed::BrokenPipe&) {
    return exit_broken_pipe;
  } catch (const heed::StoppedBySignal& stop) {
    return complain(stop.what(), stop.status());
  } catch (const heed::UsageError& error) {
    return complain(error.what(), exit_usage);
  } catch (const std::bad_alloc&) {
    return complain("out of memory: grant more", exit_failure);
  } catch (const std::system_error& error) {
    // All that the standard library says of a thread that did not start.
    if (error.code() == std::errc::resource_unavailable_try_again)
      return complain(
          "cannot start a thread: too little memory, or ulimit -v or -u leaves no room for one",
          exit_failure);
    return complain(error.what(), exit_failure);
  } catch (const std::exception& error) {
    return complain(error.what(), exit_failure);
  }
}
