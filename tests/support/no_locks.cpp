// A library that stands before the C library (LD_PRELOAD): a file system that cannot lock, as some
// network file systems are.
#include <sys/file.h>

#include <cerrno>

extern "C" int flock(int, int) noexcept {
  errno = ENOLCK;
  return -1;
}
