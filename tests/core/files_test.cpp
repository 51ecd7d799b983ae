#include "heed/core/files.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::HasSubstr;

class FilesTest : public FolderTest {
 protected:
  size_t entries() const {
    return size_t(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
};

TEST_F(FilesTest, WritesLargeAndSmallPieces) {
  const auto path = folder_ / "file";
  std::string expected;
  AtomicFile file(path);
  for (const size_t size : {0, 1, 1000, 3'000'000, 5, 1 << 20, 7}) {
    const std::string bytes(size, char('a' + size % 26));
    file.write(bytes);
    expected += bytes;
  }
  file.write_at(1, "HEAD");
  expected.replace(1, 4, "HEAD");
  EXPECT_EQ(file.size(), int64_t(expected.size()));
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  EXPECT_TRUE(read_file(path) == expected);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FilesTest, WithoutCommitTheOldFileStaysAndNothingElse) {
  const auto path = folder_ / "file";
  write_file_atomically(path, "old");
  {
    AtomicFile file(path);
    file.write("new");
  }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(entries(), 1u);
}

// A name that this writer did not make is somebody else's: a file, a folder, a link to a file.
TEST_F(FilesTest, AFileNamedPartialIsLeftAlone) {
  const auto path = folder_ / "file", partial = folder_ / "file.partial";
  std::ofstream(folder_ / "precious") << "mine";
  std::filesystem::create_symlink("precious", partial);
  write_file_atomically(path, "new");
  EXPECT_EQ(read_file(folder_ / "precious"), "mine");
  std::filesystem::remove(partial);
  std::filesystem::create_directory(partial);
  write_file_atomically(path, "newer");
  EXPECT_EQ(read_file(path), "newer");
  EXPECT_EQ(entries(), 3u);
}

TEST_F(FilesTest, OfTwoWritersTheLastToCommitStays) {
  const auto path = folder_ / "file";
  AtomicFile first(path), second(path);
  first.write("first, and longer");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(read_file(path), "first, and longer");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FilesTest, AppendsToAFile) {
  const auto path = folder_ / "file";
  append_to_file(path, "one");
  append_to_file(path, "two");
  EXPECT_EQ(read_file(path), "onetwo");
  EXPECT_THAT(error_of([&] { append_to_file(folder_, "x"); }), HasSubstr(folder_.string()));
}

TEST_F(FilesTest, NamesThePathThatCannotBeWritten) {
  EXPECT_THAT(error_of([&] { write_file_atomically(folder_ / "none" / "file", "x"); }),
              HasSubstr("none/file"));
  EXPECT_THAT(error_of([&] { write_file_atomically(folder_, "x"); }), HasSubstr("directory"));
}

TEST_F(FilesTest, ReplacesNoDeviceAndNoPipe) {
  const auto pipe = folder_ / "pipe", link = folder_ / "link";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink(pipe, link);  // as /dev/stdout is one
  for (const auto& path : {pipe, link})
    EXPECT_THAT(error_of([&] { AtomicFile file(path); }),
                HasSubstr(path.string() + ": it is a device, a pipe or a socket"));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(entries(), 2u);
}

TEST_F(FilesTest, ALinkStaysAndWhatItNamesIsReplaced) {
  const auto path = folder_ / "file", link = folder_ / "link";
  write_file_atomically(path, "old");
  std::filesystem::create_symlink("file", link);
  write_file_atomically(link, "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(entries(), 2u);
}

TEST_F(FilesTest, ALinkToNothingYetGivesWhatItNames) {
  std::filesystem::create_symlink("later", folder_ / "link");
  write_file_atomically(folder_ / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "later"), "new");
  std::filesystem::create_symlink("loop", folder_ / "loop");
  EXPECT_THAT(error_of([&] { write_file_atomically(folder_ / "loop", "x"); }), HasSubstr("loop"));
}

// A limit on the size of files stands for a full disk: both fail in write(). In a process of its
// own, since the limit is the process's.
TEST_F(FilesTest, AFullDiskKeepsTheOldFile) {
  const auto path = folder_ / "file";
  write_file_atomically(path, "old");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message =
        error_of([&] { write_file_atomically(path, std::string(3'000'000, 'x')); });
    ::_exit(message.find(path.string()) != message.npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FilesTest, ReadsOnlyRegularFilesWithinTheLimit) {
  const auto path = folder_ / "file";
  write_file_atomically(path, std::string("a\0b", 3));
  EXPECT_EQ(read_file(path, 3), std::string("a\0b", 3));
  EXPECT_THAT(error_of([&] { read_file(path, 2); }), HasSubstr("has 3 bytes"));
  EXPECT_THAT(error_of([&] { read_file(folder_); }), HasSubstr("is a directory"));
  EXPECT_THAT(error_of([&] { read_file(folder_ / "none"); }), HasSubstr("No such file"));
  const auto pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { read_file(pipe); }), HasSubstr("no regular file"));
  if (::geteuid() != 0) {
    std::filesystem::permissions(path, std::filesystem::perms::none);
    EXPECT_THAT(error_of([&] { read_file(path); }), HasSubstr("Permission denied"));
  }
}

TEST_F(FilesTest, MapsAFileAndKeepsItWhenItIsReplaced) {
  const auto path = folder_ / "file";
  write_file_atomically(path, "old bytes");
  MappedFile first(path);
  write_file_atomically(path, "new");
  EXPECT_EQ(first.text(), "old bytes");
  MappedFile second = std::move(first);
  EXPECT_EQ(second.text(), "old bytes");
  second = MappedFile(path);
  EXPECT_EQ(second.text(), "new");
  write_file_atomically(path, "");
  EXPECT_TRUE(MappedFile(path).bytes().empty());
  EXPECT_THAT(error_of([&] { MappedFile map(folder_); }), HasSubstr("is a directory"));
  EXPECT_THAT(error_of([&] { MappedFile map(folder_ / "none"); }), HasSubstr("No such file"));
}

}  // namespace
}  // namespace heed
