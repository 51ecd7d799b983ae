// `measured PROGRAM ARGUMENTS...` runs a program and writes the most memory that it held, in bytes
// as an int64_t, to descriptor 3. The kernel counts for a process what the one that forked it held,
// so that this must be a small one, and not a test. The exit status is the program's; 128 + the
// signal's number if one ended it.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>

int main(int, char** arguments) {
  constexpr int kResult = 3, kNoResult = 125, kNoProgram = 126;
  if (fcntl(kResult, F_SETFD, FD_CLOEXEC) != 0) return kNoResult;
  const pid_t child = fork();
  if (child == 0) {
    execv(arguments[1], arguments + 1);
    _exit(kNoProgram);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return kNoResult;
  const int64_t bytes = int64_t{usage.ru_maxrss} * 1024;
  if (write(kResult, &bytes, sizeof bytes) != sizeof bytes) return kNoResult;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
