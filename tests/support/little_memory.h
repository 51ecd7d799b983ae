// Runs code in a process that may have little memory.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

namespace heed::testing {

// Of a thread: what the machine refuses first. Not under a sanitizer, which needs addresses itself.
inline constexpr rlim_t kThreadStack = 8 << 20;

// The exit status of `body` in a process of its own that may have `more` bytes of addresses than
// this one has; 100 where it throws, 128 + the signal's number where one ended it.
inline int status_with(rlim_t more, const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = pages * rlim_t(::sysconf(_SC_PAGESIZE)) + more;
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_AS, &limit);
    try {
      ::_exit(body());
    } catch (...) {
      ::_exit(100);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace heed::testing
