// A lock on a directory, so that one process at a time writes to it.
#pragma once

#include <filesystem>
#include <vector>

#include "heed/core/descriptor.h"
#include "heed/core/temporary_file.h"

namespace heed {

// Locks a directory for writing, and creates it, with its parents, if it does not exist. It is an
// advisory lock on the directory itself (flock), which the operating system releases when the
// process ends: no lock file is left, and readers need no rights. If the file system cannot lock
// directories (some network file systems), the object is constructed without a lock.
class DirectoryLock {
 public:
  // Error if the directory is locked, by this process or by another one.
  explicit DirectoryLock(const std::filesystem::path& directory);
  DirectoryLock(DirectoryLock&&) noexcept = default;
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  // Removes the directories that it created and that are empty. remove_temporary_files() does so
  // too while the object lives.
  ~DirectoryLock();

  // Error if the directory was moved or replaced since: files written by its name would land in
  // another directory. Does nothing if it was removed; writing to it fails then.
  void expect_in_place() const;

  // Creates a directory below the locked one.
  void make(const std::filesystem::path& directory);

 private:
  DirectoryLock() = default;

  std::filesystem::path directory_;
  Descriptor lock_;
  std::vector<detail::RegisteredName> made_;  // outer directories before inner ones
};

// Whether a process holds the lock of the directory; false if that cannot be known. Takes the lock
// briefly to find out.
bool is_locked(const std::filesystem::path& directory);

}  // namespace heed
