// Temporary files: written first, then given the name of the file that they replace.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "heed/core/descriptor.h"

namespace heed {

namespace detail {

// The names that remove_temporary_files() removes: of a file, or of a directory if it is empty.
enum class RegisteredKind { file, directory };

// A temporary file or directory, registered for remove_temporary_files() while the object lives. If
// the list is full, it is not registered, and the next writer removes it.
class RegisteredName {
 public:
  explicit RegisteredName(std::string text, RegisteredKind kind = RegisteredKind::file);
  RegisteredName(RegisteredName&& other) noexcept
      : text_(std::move(other.text_)), slot_(std::exchange(other.slot_, kNone)) {}
  RegisteredName& operator=(RegisteredName&&) = delete;
  ~RegisteredName();
  const std::string& text() const { return text_; }

 private:
  static constexpr size_t kNone = size_t(-1);
  std::string text_;
  size_t slot_ = kNone;
};

// Error for a file that cannot be written for this reason (an errno). A missing directory is named.
[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error);

}  // namespace detail

// An empty file in the directory of `target`, removed unless it takes the target's name.
//
// The first choice is a file without a name (O_TMPFILE): the kernel frees it with the process, so
// that no signal, SIGKILL and a power cut included, can leave one behind, and no name exists that
// another process could guess, occupy with a link, or mistake for its own. Only when it
// replaces a file, it has a temporary name briefly, because linkat() cannot replace.
//
// Where the file system has no such files (NFS, FAT, some FUSE), it has a temporary name from the
// start: random, created exclusively, never through a link. A program that ends on a signal can
// remove these in its handler (remove_temporary_files); a process that is killed leaves one, which
// the next writer of the same target removes. A lock (flock) that ends with its process tells dead
// temporary files from those of live writers; where the file system cannot lock, none is removed.
class TemporaryFile {
 public:
  enum class Kind { unnamed, named };

  // Unnamed where the file system allows it. Error where the directory cannot be written to.
  static TemporaryFile make(const std::filesystem::path& target);
  // std::nullopt where the file system does not allow this kind.
  static std::optional<TemporaryFile> make(const std::filesystem::path& target, Kind kind);
  TemporaryFile(TemporaryFile&& other) noexcept = default;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  // Open for reading and writing.
  int descriptor() const { return file_.get(); }
  // Renames it to the target, replacing a file of that name. Call it once.
  void commit();

 private:
  TemporaryFile(std::filesystem::path target, Descriptor file,
                std::optional<detail::RegisteredName> name);

  std::filesystem::path target_;
  std::optional<detail::RegisteredName> name_;  // temporary, while it has one
  Descriptor file_;                             // its lock is released after the name is removed
};

// Removes the temporary names that this process uses now, and the empty directories that its
// DirectoryLocks created: for a signal handler that ends the program. Calls only functions that are
// safe in one.
void remove_temporary_files() noexcept;

// NAME where `name` is that of a temporary file for NAME ("NAME.<16 hexadecimal digits>.partial").
std::optional<std::string> target_of_temporary(std::string_view name);

}  // namespace heed
