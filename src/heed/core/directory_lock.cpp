#include "heed/core/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "heed/core/error.h"

namespace heed {

namespace fs = std::filesystem;

DirectoryLock::DirectoryLock(const fs::path& folder) : folder_(folder) {
  for (;;) {
    made_.make(folder);
    lock_ = Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (lock_.get() < 0 && errno == ENOENT) continue;
    if (lock_.get() < 0) return;
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return;
      made_.keep();  // the holder of the lock uses them
      fail(
          "{}: another process is writing to this folder: wait until it ends, or give "
          "another folder",
          folder.string());
    }
    // The process that held the lock before may have removed the folder.
    if (detail::is_name_of(folder, lock_.get())) return;
  }
}

void DirectoryLock::expect_in_place() const {
  std::error_code error;
  if (lock_.get() < 0 || detail::is_name_of(folder_, lock_.get()) || !fs::exists(folder_, error))
    return;
  fail(
      "{}: this folder was moved or replaced while it was written to; nothing is written to the "
      "one that has its name now",
      folder_.string());
}

bool is_locked(const fs::path& folder) {
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return file.get() >= 0 && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

DirectoryLock::MadeFolders::~MadeFolders() {
  for (; !names_.empty(); names_.pop_back()) ::rmdir(names_.back().text().c_str());
}

void DirectoryLock::MadeFolders::make(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return;
  if (fs::exists(folder, error)) fail("{}: expected a folder, found a file", folder.string());
  if (folder.has_parent_path() && folder.parent_path() != folder) make(folder.parent_path());
  names_.reserve(names_.size() + 1);
  if (fs::create_directory(folder, error))
    names_.emplace_back(folder.string(), detail::RegisteredKind::folder);
  if (error) fail("{}: cannot make the folder: {}", folder.string(), error.message());
}

}  // namespace heed
