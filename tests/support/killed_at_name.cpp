// A library that stands before the C library (LD_PRELOAD): kills the program (SIGKILL) when it is
// about to give or take away a file's name for the n-th time, n in HEED_KILLED_AT.
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

namespace {

void count() {
  static std::atomic<int> calls{0};
  const char* at = std::getenv("HEED_KILLED_AT");
  if (at && ++calls == std::atoi(at)) kill(getpid(), SIGKILL);
}

// Counts, then calls the C library's function of this name.
template <class Function, class... Arguments>
auto counted(const char* name, Arguments... arguments) {
  count();
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name))(arguments...);
}

}  // namespace

extern "C" {

int rename(const char* from, const char* to) noexcept {
  return counted<int(const char*, const char*)>("rename", from, to);
}
int remove(const char* name) noexcept {
  return counted<int(const char*)>("remove", name);
}
int unlink(const char* name) noexcept {
  return counted<int(const char*)>("unlink", name);
}
int unlinkat(int folder, const char* name, int flags) noexcept {
  return counted<int(int, const char*, int)>("unlinkat", folder, name, flags);
}
int linkat(int from, const char* name, int to, const char* made, int flags) noexcept {
  return counted<int(int, const char*, int, const char*, int)>("linkat", from, name, to, made,
                                                               flags);
}
}
