// File descriptors that close themselves, for the sources that call the system directly.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace heed {

class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    value_ = other.release();
    return *this;
  }

  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }
  void close() {
    if (value_ >= 0) ::close(release());
  }

 private:
  int value_;
};

namespace detail {

// The system's text for an errno.
inline std::string reason(int error) {
  return std::generic_category().message(error);
}

// The directory that a path lies in.
inline std::filesystem::path parent_directory(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

// Whether `path` is a name of the open file: another process may have renamed or removed it.
inline bool is_name_of(const std::filesystem::path& path, int file) {
  struct stat by_name {
  }, by_file{};
  return ::stat(path.c_str(), &by_name) == 0 && ::fstat(file, &by_file) == 0 &&
         by_name.st_ino == by_file.st_ino && by_name.st_dev == by_file.st_dev;
}

}  // namespace detail
}  // namespace heed
