// Files: read whole, mapped, or replaced atomically: a crash leaves the old or the new file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "heed/core/temporary_file.h"

namespace heed {

// The bytes of a regular file of at most `limit` bytes; anything else is an Error naming it.
std::string read_file(const std::filesystem::path& path, int64_t limit = int64_t{1} << 30);

// Writes a file without a name (core/temporary_file.h), which gets its name on commit().
// A reader sees the old file or the whole new one; without commit() nothing is left, however
// the process ends. Symbolic links are followed. If two writers write the same file at the same
// time, the file of the last commit() stays. Every failure (no space, no permission, a missing
// directory, a device or a pipe of that name) is an Error naming the path.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);

  // Appends. Buffered: small writes are cheap.
  void write(std::string_view bytes);
  template <class T>
  void write(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    write(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
  }
  // Overwrites bytes that were written before: a header whose values are known at the end.
  void write_at(int64_t position, std::string_view bytes);
  // Bytes written so far.
  int64_t size() const { return size_; }
  // Writes the data to the disk (fsync), renames the file and writes the directory. Call it once.
  void commit();

 private:
  void flush();

  std::filesystem::path path_;
  std::optional<TemporaryFile> file_;  // until commit()
  std::string buffer_;
  int64_t size_ = 0;
};

// Writes a whole file through AtomicFile.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

// Appends to a file, which is created if it does not exist. Errors are those of AtomicFile; part of
// the bytes may then have been written.
void append_to_file(const std::filesystem::path& path, std::string_view bytes);

// A file mapped for reading. The mapping stays valid when the file is replaced through AtomicFile;
// a file that another program cuts short while it is mapped ends the process (SIGBUS, which the
// program heed turns into a message).
class MappedFile {
 public:
  MappedFile() = default;
  // Regular files only; an empty one maps to no bytes.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }
  // Lets the operating system drop these bytes from memory; they are read from the file again on
  // the next access.
  void release_pages(std::span<const std::byte> bytes) const;

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace heed
