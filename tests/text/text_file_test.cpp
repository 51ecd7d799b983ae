#include "heed/text/text_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "support/facts.h"
#include "support/named_pipe.h"
#include "support/text_files.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> lines_of(const TextFile& file) {
  LineReader reader = file.lines();
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

class TextFileTest : public FolderTest {
 protected:
  std::filesystem::path make_pipe(const std::string& name) const {
    testing::make_pipe(folder_ / name);
    return folder_ / name;
  }
  // What `use` gives while these bytes come out of the pipe.
  template <class Use>
  static auto fed(const std::filesystem::path& pipe, const std::string& bytes, Use use) {
    std::thread writer = testing::feed_pipe(pipe, bytes);
    auto result = use();
    writer.join();
    return result;
  }
};

TEST_F(TextFileTest, APipeIsReadAnyNumberOfTimes) {
  const auto pipe = make_pipe("pipe");
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += fmt::format("line {}\n", i);
  for (const std::string& bytes : {text, gzip(text)}) {
    const TextFile file = fed(pipe, bytes, [&] { return TextFile(pipe); });
    const auto lines = lines_of(file);
    ASSERT_EQ(lines.size(), 100'000u);
    EXPECT_EQ(lines.back(), "line 99999");
    EXPECT_TRUE(lines_of(file) == lines);
    // Two readers of one file are independent.
    LineReader one = file.lines(), other = file.lines();
    std::string left, right;
    for (int i = 0; i < 50'000; ++i) ASSERT_TRUE(one.next(left));
    ASSERT_TRUE(other.next(right));
    EXPECT_EQ(right, "line 0");
    EXPECT_EQ(file.name(), pipe.string());
  }
}

TEST_F(TextFileTest, OfAnEndlessPipeOnlyTheFirstLinesAreRead) {
  const auto pipe = make_pipe("pipe");
  int64_t written = 0;
  std::thread writer = testing::flood_pipe(pipe, written);
  const TextFile file(pipe, {.max_lines = 3});
  writer.join();
  EXPECT_THAT(lines_of(file), ElementsAre("y", "y", "y"));
  EXPECT_LT(written, testing::kEndless / 8);
  const TextFile packed =
      fed(pipe, gzip("a\nb\nc"), [&] { return TextFile(pipe, CopyOptions{.max_lines = 2}); });
  EXPECT_THAT(lines_of(packed), ElementsAre("a", "b"));
}

TEST_F(TextFileTest, ACopyLeavesATenthOfTheFreeSpace) {
  const auto pipe = make_pipe("pipe");
  constexpr int64_t kFree = 20 << 20;
  int64_t written = 0, asked = 0;
  CopyOptions copying;
  copying.free_bytes = [&](const std::filesystem::path&) { return kFree - (asked++ << 20); };
  std::thread writer = testing::flood_pipe(pipe, written);
  const std::string message = error_of([&] { const TextFile refused(pipe, copying); });
  writer.join();
  EXPECT_THAT(message, HasFacts(pipe.string() + " TMPDIR " +
                                std::filesystem::temp_directory_path().string()));
  EXPECT_LE(written, kFree);
  EXPECT_GT(written, kFree / 2) << "what there is room for is copied";
}

TEST_F(TextFileTest, ACopyTellsHowFarItIs) {
  const auto pipe = make_pipe("pipe");
  std::vector<std::string> told;
  std::thread writer([&] {
    testing::block_broken_pipe_signal();
    const int end = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(::write(end, "one\n", 4), 4);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_EQ(::write(end, "two\n", 4), 4);
    ::close(end);
  });
  const TextFile file(pipe, {.message = [&](const std::string& text) { told.push_back(text); },
                             .quiet = std::chrono::milliseconds(200)});
  writer.join();
  EXPECT_THAT(lines_of(file), ElementsAre("one", "two"));
  EXPECT_THAT(told, ElementsAre(HasSubstr("copying " + pipe.string() + " to ")))
      << "the next later";
}

TEST_F(TextFileTest, TheCopyLeavesNoNameAndLivesInTmpdir) {
  const auto pipe = make_pipe("pipe");
  const std::string before = std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "";
  const auto restore = [&] {
    before.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before.c_str(), 1);
  };
  std::filesystem::create_directory(folder_ / "t");
  setenv("TMPDIR", (folder_ / "t").c_str(), 1);
  const TextFile file = fed(pipe, "a\nb\n", [&] { return TextFile(pipe); });
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "t"));
  EXPECT_THAT(lines_of(file), ElementsAre("a", "b"));
  setenv("TMPDIR", (folder_ / "absent").c_str(), 1);
  const std::string message =
      fed(pipe, "a\n", [&] { return error_of([&] { const TextFile refused(pipe); }); });
  EXPECT_THAT(message, HasSubstr("TMPDIR"));
  setenv("TMPDIR", "", 1);  // as if it were unset
  EXPECT_THAT(lines_of(fed(pipe, "a\n", [&] { return TextFile(pipe); })), ElementsAre("a"));
  restore();
}

// A device that never ends is left to the bound on a line's length.
TEST_F(TextFileTest, DevicesAreNotCopied) {
  EXPECT_FALSE(is_stream("/dev/zero"));
  LineReader reader = TextFile("/dev/zero").lines();
  std::string line;
  EXPECT_THAT(error_of([&] { reader.next(line); }), HasFacts("/dev/zero:1"));
  EXPECT_THAT(lines_of(TextFile("/dev/null")), IsEmpty());
}

TEST_F(TextFileTest, StandardInputIsReadAnyNumberOfTimes) {
  const auto with_input = [&](int input, auto use) {
    const int saved = ::dup(0);
    EXPECT_GE(::dup2(input, 0), 0);
    ::close(input);
    use(TextFile("-"));
    ::dup2(saved, 0);
    ::close(saved);
  };
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "a\nb\n", 4), 4);
  ::close(ends[1]);
  with_input(ends[0], [](const TextFile& file) {
    EXPECT_THAT(lines_of(file), ElementsAre("a", "b"));
    EXPECT_THAT(lines_of(file), ElementsAre("a", "b"));
    EXPECT_EQ(file.name(), "standard input");
  });
  // A file that was opened by the shell, some of it read already.
  const int file = ::open(write("lines", "a\nb\nc\n").c_str(), O_RDONLY);
  ASSERT_EQ(::lseek(file, 2, SEEK_SET), 2);
  with_input(file, [](const TextFile& rest) {
    EXPECT_THAT(lines_of(rest), ElementsAre("b", "c"));
    EXPECT_THAT(lines_of(rest), ElementsAre("b", "c"));
  });
}

TEST_F(TextFileTest, ColumnsOfTabSeparatedText) {
  const TextFile file(write("t.tsv", "one\tuno\tcc\ntwo\n\tdos\n\"a\tb\"\n"));
  EXPECT_THAT(lines_of(file.column(1)), ElementsAre("one", "two", "", "\"a"));
  EXPECT_THAT(lines_of(file.column(2)), ElementsAre("uno", "", "dos", "b\""));
  EXPECT_THAT(lines_of(file.column(3)), ElementsAre("cc", "", "", ""));
  EXPECT_THAT(lines_of(file), ElementsAre("one\tuno\tcc", "two", "\tdos", "\"a\tb\""));
  LineReader second = file.column(2).lines();
  std::string line;
  for (const bool there : {true, false, true, true}) {
    ASSERT_TRUE(second.next(line));
    EXPECT_EQ(second.has_column(), there) << second.line_number();
  }
  EXPECT_THAT(file.column(2).title(), HasSubstr("column 2"));
}

TEST_F(TextFileTest, AStreamForTwoOptionsIsRefused) {
  const std::string pipe = make_pipe("pipe"), other = make_pipe("other");
  const std::string file = write("file", "a\n");
  const auto message = [](const std::vector<NamedInput>& inputs) {
    return error_of([&] { expect_distinct_streams(inputs); });
  };
  EXPECT_THAT(message({{"--source", file}, {"--target", file}, {"--valid-source", ""}}), IsEmpty());
  EXPECT_THAT(message({{"--source", pipe}, {"--target", other}, {"--target-prefix", "-"}}),
              IsEmpty());
  EXPECT_THAT(message({{"--source", "none"}, {"--target", "none"}}), IsEmpty());
  EXPECT_THAT(
      message({{"--source", "-"}, {"--target", file}, {"--target-prefix", "-"}}),
      AllOf(HasSubstr("--source"), HasSubstr("--target-prefix"), HasSubstr("standard input")));
  std::filesystem::create_symlink(pipe, folder_ / "link");
  EXPECT_THAT(message({{"--source", pipe}, {"--target", folder_ / "link"}}),
              AllOf(HasSubstr("--source"), HasSubstr("--target"), HasSubstr("link")));
  EXPECT_THROW(expect_distinct_streams({{"a", pipe}, {"b", pipe}}), UsageError);
}

}  // namespace
}  // namespace heed
