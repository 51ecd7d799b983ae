// Two kinds of failure: errors that the user can fix (Error), and bugs in heed (Bug, by check()).
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace heed {

// An error that the user can fix. The text is one sentence or two: what, where (file and line of
// the input), got, expected, what to do. The program exits 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A command line, configuration or call that contradicts itself. The program exits 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// Throws Error with a formatted text: fail("{}: expected {} lines, got {}", path, want, got).
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw Error(fmt::format(text, std::forward<Args>(args)...));
}

// The same for UsageError.
template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> text, Args&&... args) {
  throw UsageError(fmt::format(text, std::forward<Args>(args)...));
}

// An internal error: a violated invariant of heed, never the user's fault.
class Bug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void report_bug(const char* what, const char* file, int line);

// Throws Bug with the caller's place if `ok` is false.
inline void check(bool ok, const char* what, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  if (!ok) [[unlikely]]
    report_bug(what, file, line);
}

}  // namespace heed
