// A library that stands before the C library (LD_PRELOAD): a file system without unnamed files
// (O_TMPFILE), as NFS is one.
#include <dlfcn.h>
#include <fcntl.h>

#include <cerrno>
#include <cstdarg>

extern "C" int open(const char* path, int flags, ...) {
  using Open = int(const char*, int, ...);
  static auto* const next = reinterpret_cast<Open*>(dlsym(RTLD_NEXT, "open"));
  if ((flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);  // unused where nothing is created
  va_end(arguments);
  return next(path, flags, mode);
}
