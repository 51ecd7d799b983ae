#include "heed/core/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "heed/core/error.h"

namespace heed {

namespace fs = std::filesystem;

// Delegates to a constructor, so that the destructor runs where this fails.
DirectoryLock::DirectoryLock(const fs::path& directory) : DirectoryLock() {
  directory_ = directory;
  for (;;) {
    make(directory);
    lock_ = Descriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (lock_.get() < 0 && errno == ENOENT) continue;
    if (lock_.get() < 0) return;
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return;
      made_.clear();  // the holder of the lock uses them
      fail(
          "{}: another process is writing to this directory: wait until it ends, or give "
          "another directory",
          directory.string());
    }
    // The process that held the lock before may have removed the directory.
    if (detail::is_name_of(directory, lock_.get())) return;
  }
}

void DirectoryLock::expect_in_place() const {
  std::error_code error;
  if (lock_.get() < 0 || detail::is_name_of(directory_, lock_.get()) ||
      !fs::exists(directory_, error))
    return;
  fail(
      "{}: this directory was moved or replaced while it was written to; nothing is written to the "
      "one that has its name now",
      directory_.string());
}

bool is_locked(const fs::path& directory) {
  const Descriptor file(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return file.get() >= 0 && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

DirectoryLock::~DirectoryLock() {
  for (; !made_.empty(); made_.pop_back()) ::rmdir(made_.back().text().c_str());
}

void DirectoryLock::make(const fs::path& directory) {
  std::error_code error;
  if (fs::is_directory(directory, error)) return;
  if (fs::exists(directory, error))
    fail("{}: expected a directory, found a file", directory.string());
  if (directory.has_parent_path() && directory.parent_path() != directory)
    make(directory.parent_path());
  made_.reserve(made_.size() + 1);
  if (fs::create_directory(directory, error))
    made_.emplace_back(directory.string(), detail::RegisteredKind::directory);
  if (error) fail("{}: cannot make the directory: {}", directory.string(), error.message());
}

}  // namespace heed
