// What the fuzz targets share: files in memory, and what a reader may do with a hostile one.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "heed/core/error.h"
#include "support/temporary_folder.h"

namespace heed::fuzzing {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the program, which libFuzzer reports with the input that did it.
inline void require(bool ok) {
  if (!ok) std::abort();
}

// A file in memory that any reader can open by its path.
class MemoryFile {
 public:
  MemoryFile()
      : descriptor_(memfd_create("heed", 0)),
        path_("/proc/self/fd/" + std::to_string(descriptor_)) {
    require(descriptor_ >= 0);
  }
  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& hold(std::string_view bytes) const {
    require(ftruncate(descriptor_, 0) == 0);
    require(pwrite(descriptor_, bytes.data(), bytes.size(), 0) == ssize_t(bytes.size()));
    return path_;
  }

 private:
  int descriptor_;
  std::filesystem::path path_;
};

// A directory whose files lie in memory.
class MemoryDirectory {
 public:
  const std::filesystem::path& path() const { return directory_.path(); }
  void add(const std::string& name, const MemoryFile& file) const {
    std::filesystem::create_symlink(file.path(), directory_ / name);
  }

 private:
  testing::TemporaryFolder directory_;
};

// A reader succeeds or throws an Error that says something; anything else it throws is a finding.
template <class Action>
void read_or_refuse(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    require(error.what()[0] != '\0');
  }
}

// What stands before the first NUL, and what behind it: two files in one input.
inline std::pair<std::string_view, std::string_view> two_files(std::string_view input) {
  const size_t cut = input.find('\0');
  if (cut == input.npos) return {input, {}};
  return {input.substr(0, cut), input.substr(cut + 1)};
}

}  // namespace heed::fuzzing
