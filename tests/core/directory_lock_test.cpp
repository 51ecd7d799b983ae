// Who may write to a folder, and what is left of one that came to nothing.
#include "heed/core/directory_lock.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heed/core/files.h"
#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class DirectoryLockTest : public FolderTest {};

TEST_F(DirectoryLockTest, HoldsAgainstAllOthersUntilItGoes) {
  const fs::path folder = folder_ / "m";
  {
    const DirectoryLock lock(folder);
    EXPECT_THAT(error_of([&] { DirectoryLock second(folder); }), HasSubstr(folder.string()));
    EXPECT_TRUE(fs::is_directory(folder)) << "the refused one removed the folder of the other";
    const DirectoryLock another(folder_ / "n");
    write_file_atomically(folder / "file", "x");
  }
  const DirectoryLock next(folder);
}

TEST_F(DirectoryLockTest, ASecondFolderOfTheNameIsNotWrittenTo) {
  const fs::path folder = folder_ / "m";
  const DirectoryLock lock(folder);
  lock.expect_in_place();
  fs::rename(folder, folder_ / "moved");
  lock.expect_in_place();  // writing reports what is missing
  fs::create_directory(folder);
  EXPECT_THAT(error_of([&] { lock.expect_in_place(); }), HasSubstr(folder.string()));
  fs::remove(folder);
  fs::create_directory_symlink("moved", folder);
  lock.expect_in_place();
}

TEST_F(DirectoryLockTest, AReaderCanAskForIt) {
  const fs::path folder = folder_ / "m";
  EXPECT_FALSE(is_locked(folder)) << "missing";
  {
    const DirectoryLock lock(folder);
    EXPECT_TRUE(is_locked(folder));
    write_file_atomically(folder / "file", "x");
  }
  EXPECT_FALSE(is_locked(folder));
  const DirectoryLock again(folder);
}

// A program that a signal ends runs no destructors.
TEST_F(DirectoryLockTest, AHandlerRemovesTheEmptyFoldersThatItMade) {
  const fs::path outer = folder_ / "outer";
  DirectoryLock lock(outer / "m");
  lock.make(outer / "m/training");
  {
    DirectoryLock kept(folder_ / "kept");
    write_file_atomically(folder_ / "kept/file", "x");
    fs::create_directory(folder_ / "mine");
    const DirectoryLock found(folder_ / "mine");
    remove_temporary_files();
  }
  EXPECT_FALSE(fs::exists(outer));
  EXPECT_TRUE(fs::exists(folder_ / "kept/file"));
  EXPECT_TRUE(fs::exists(folder_ / "mine"));
  { const DirectoryLock gone(folder_ / "gone"); }
  fs::create_directory(folder_ / "gone");
  remove_temporary_files();
  EXPECT_TRUE(fs::exists(folder_ / "gone")) << "no lock holds it any more";
}

TEST_F(DirectoryLockTest, EndsWithAKilledProcess) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const DirectoryLock lock(folder_ / "m");
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_THAT(error_of([&] { DirectoryLock second(folder_ / "m"); }), HasSubstr("another process"));
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const DirectoryLock next(folder_ / "m");
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(DirectoryLockTest, EmptyFoldersThatItMadeAreRemoved) {
  fs::create_directory(folder_ / "there");
  {
    DirectoryLock lock(folder_ / "a/b/c");
    lock.make(folder_ / "a/b/c/d");
    DirectoryLock there(folder_ / "there");
    there.make(folder_ / "there/new");
    DirectoryLock kept(folder_ / "kept/");
    write_file_atomically(folder_ / "kept/file", "x");
    EXPECT_TRUE(fs::is_directory(folder_ / "a/b/c/d"));
  }
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  EXPECT_TRUE(fs::is_empty(folder_ / "there"));
  EXPECT_TRUE(fs::exists(folder_ / "kept/file"));
}

TEST_F(DirectoryLockTest, WhatCannotBeMadeIsNamedAndLeavesNothing) {
  write_file_atomically(folder_ / "file", "x");
  EXPECT_THAT(error_of([&] { DirectoryLock lock(folder_ / "file/m"); }),
              HasSubstr((folder_ / "file").string() + ": expected a directory"));
  EXPECT_THAT(error_of([&] { DirectoryLock lock(folder_ / "new" / std::string(300, 'x')); }),
              HasSubstr("cannot make the directory"));
  EXPECT_FALSE(fs::exists(folder_ / "new"));
}

}  // namespace
}  // namespace heed
