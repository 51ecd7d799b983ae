// Files on their way to their names: whatever ends the process or stands in the way, nothing is
// left behind and nobody's file is written over.
#include "heed/core/temporary_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heed/core/files.h"
#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;
using Kind = TemporaryFile::Kind;

class TemporaryFileTest : public FolderTest, public ::testing::WithParamInterface<Kind> {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_))
      all.push_back(entry.path().filename());
    return all;
  }
  void SetUp() override {
    if (!TemporaryFile::make(folder_ / "file", GetParam()))
      GTEST_SKIP() << "this file system has no unnamed files";
  }
  // One of the kind under test, with these bytes.
  TemporaryFile make(const std::string& bytes) const {
    std::optional<TemporaryFile> file = TemporaryFile::make(folder_ / "file", GetParam());
    EXPECT_EQ(::write(file->descriptor(), bytes.data(), bytes.size()), ssize_t(bytes.size()));
    return std::move(*file);
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, TemporaryFileTest, ::testing::Values(Kind::unnamed, Kind::named),
                         [](const auto& info) {
                           return info.param == Kind::named ? "Named" : "Unnamed";
                         });

TEST_P(TemporaryFileTest, TakesANewNameAndThatOfAFile) {
  make("first").commit();
  EXPECT_EQ(read_file(folder_ / "file"), "first");
  make("second").commit();
  EXPECT_EQ(read_file(folder_ / "file"), "second");
  EXPECT_THAT(names(), UnorderedElementsAre("file"));
}

TEST_P(TemporaryFileTest, KeepsThePermissionsOfTheFileThatItReplaces) {
  using std::filesystem::perms;
  make("old").commit();
  std::filesystem::permissions(folder_ / "file", perms::owner_read | perms::owner_write);
  make("new").commit();
  EXPECT_EQ(read_file(folder_ / "file"), "new");
  EXPECT_EQ(std::filesystem::status(folder_ / "file").permissions(),
            perms::owner_read | perms::owner_write);
}

TEST_P(TemporaryFileTest, IsGoneUnlessItTookItsName) {
  make("lost");
  EXPECT_THAT(names(), IsEmpty());
}

TEST_P(TemporaryFileTest, ASignalHandlerCanRemoveAll) {
  std::vector<TemporaryFile> files;
  for (int i = 0; i < 3; ++i) files.push_back(make("lost"));
  make("kept").commit();
  remove_temporary_files();
  EXPECT_THAT(names(), UnorderedElementsAre("file"));
}

TEST_P(TemporaryFileTest, OfTwoWritersTheLastToEndStays) {
  TemporaryFile first = make("first"), second = make("second");
  second.commit();
  first.commit();
  EXPECT_EQ(read_file(folder_ / "file"), "first");
  EXPECT_THAT(names(), UnorderedElementsAre("file"));
}

// What a process that is killed leaves is nothing, or is gone with the next writer.
TEST_P(TemporaryFileTest, AKilledProcessLeavesNothingForLong) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const TemporaryFile file = make("cut off");
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  if (GetParam() == Kind::named) {
    ASSERT_EQ(names().size(), 1u);
    EXPECT_EQ(target_of_temporary(names()[0]), "file");
    make("another writer");
    EXPECT_EQ(names().size(), 1u) << "a file of a writer that lives was removed";
  }
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  if (GetParam() == Kind::unnamed) {
    EXPECT_THAT(names(), IsEmpty());
  }
  make("next").commit();
  EXPECT_THAT(names(), UnorderedElementsAre("file"));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_P(TemporaryFileTest, NoOneElsesFileOrLinkIsTouched) {
  const std::string digits = "0123456789abcdef";
  write_file_atomically(folder_ / "precious", "mine");
  for (const std::string name : {"file.partial", "file.0123.partial", "file.backup.partial"})
    write_file_atomically(folder_ / name, "mine");
  // Of that pattern, and yet no left-over: links, folders, what belongs to another target.
  fs::create_symlink("precious", folder_ / ("file." + digits + ".partial"));
  fs::create_directory(folder_ / ("file.f" + digits.substr(1) + ".partial"));
  write_file_atomically(folder_ / ("other." + digits + ".partial"), "mine");
  const size_t before = names().size();
  make("new").commit();
  EXPECT_EQ(names().size(), before + 1);
  EXPECT_EQ(read_file(folder_ / "precious"), "mine");
  EXPECT_EQ(read_file(folder_ / "file"), "new");
}

TEST(TemporaryName, IsTheTargetsWithDigits) {
  EXPECT_EQ(target_of_temporary("a.txt.0123456789abcdef.partial"), "a.txt");
  for (const char* name : {"a.txt.partial", "a.txt", "", ".partial", "0123456789abcdef.partial",
                           ".0123456789abcdef.partial", "a.0123456789abcdeF.partial",
                           "a.123456789abcdef.partial", "a_0123456789abcdef.partial"})
    EXPECT_EQ(target_of_temporary(name), std::nullopt) << name;
}

using MissingFolderTest = FolderTest;
TEST_F(MissingFolderTest, IsNamed) {
  EXPECT_THAT(error_of([&] { TemporaryFile::make(folder_ / "none" / "file"); }),
              HasSubstr("the directory " + (folder_ / "none").string() + " is missing"));
  EXPECT_THAT(error_of([&] { append_to_file(folder_ / "none" / "file", "x"); }),
              HasSubstr("the directory " + (folder_ / "none").string() + " is missing"));
}

TEST_P(TemporaryFileTest, AFolderThatGoesIsNamed) {
  fs::create_directory(folder_ / "going");
  std::optional<TemporaryFile> file = TemporaryFile::make(folder_ / "going/file", GetParam());
  ASSERT_TRUE(file);
  fs::remove_all(folder_ / "going");
  EXPECT_THAT(error_of([&] { file->commit(); }), HasSubstr("is missing"));
}

}  // namespace
}  // namespace heed
