#include "heed/text/lines.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "support/facts.h"
#include "support/text_files.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using LinesTest = FolderTest;

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  std::string line;
  while (reader.next(line)) {
    lines.push_back(line);
    EXPECT_EQ(reader.line_number(), int64_t(lines.size()));
  }
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(line, "");
  return lines;
}

TEST_F(LinesTest, OnlyNewlineEndsALine) {
  EXPECT_THAT(lines_of(write("a", "one\ntwo\n")), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of(write("b", "one\ntwo")), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of(write("c", "")), IsEmpty());
  EXPECT_THAT(lines_of(write("d", "\n\n")), ElementsAre("", ""));
  EXPECT_THAT(lines_of(write("e", "one\r\ntwo\rthree\n")), ElementsAre("one\r", "two\rthree"));
  EXPECT_THAT(lines_of(write("f", "a\u2028b\u0085c\vd\fe\n")),
              ElementsAre("a\u2028b\u0085c\vd\fe"));
  EXPECT_THAT(lines_of(write("g", std::string_view("a\0b\n\0", 5))),
              ElementsAre(std::string("a\0b", 3), std::string("\0", 1)));
  EXPECT_THAT(lines_of(write("h", "\xff\xfe\n")), ElementsAre("\xff\xfe"));
  EXPECT_THAT(lines_of(write("i", "\x1f")), ElementsAre("\x1f"));
}

TEST_F(LinesTest, AByteOrderMarkIsNoText) {
  EXPECT_THAT(lines_of(write("a", "\ufeffone\n\ufefftwo\n")), ElementsAre("one", "\ufefftwo"));
  EXPECT_THAT(lines_of(write("b", gzip("\ufeffone\n"))), ElementsAre("one"));
  LineReader reader(write("c", "\ufeffone\ttwo\n"));
  reader.select_column(1);
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "one");
}

TEST_F(LinesTest, WhatCommandsReadIsNotUtf16) {
  using namespace std::string_view_literals;
  for (const auto& [text, encoding] :
       {std::pair{"\xff\xfeH\0i\0\n\0"sv, "UTF-16"}, std::pair{"\xfe\xff\0H\0i\0\n"sv, "UTF-16"},
        std::pair{"\xff\xfe\0\0H\0\0\0"sv, "UTF-32"}}) {
    LineReader reader = open_lines(write("a", text));
    std::string line;
    EXPECT_THAT(error_of([&] { reader.next(line); }),
                HasFacts(std::string("/a iconv ") + encoding));
  }
  // Only at the beginning.
  EXPECT_THAT(read_lines(write("b", "Hi\n\xff\xfe\n")), ElementsAre("Hi", "\xff\xfe"));
}

TEST_F(LinesTest, LinesMayBeLongerThanTheBuffer) {
  const std::string long_line(1'000'000, 'x');
  EXPECT_THAT(lines_of(write("a", "first\n" + long_line + "\nlast")),
              ElementsAre("first", long_line, "last"));
}

TEST_F(LinesTest, ReadsGzipWhateverItsName) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  const std::vector<std::string> expected = lines_of(write("plain", text));
  EXPECT_TRUE(lines_of(write("a.gz", gzip(text))) == expected);
  EXPECT_TRUE(lines_of(write("b", gzip(text))) == expected);
  EXPECT_THAT(lines_of(write("c.gz", gzip(""))), IsEmpty());
}

TEST_F(LinesTest, GzipMembersFollowEachOther) {
  EXPECT_THAT(lines_of(write("a.gz", gzip("one\ntw") + gzip("") + gzip("o\nthree"))),
              ElementsAre("one", "two", "three"));
  EXPECT_THAT(lines_of(write("b.gz", gzip("one\n") + std::string(600, '\0'))), ElementsAre("one"));
}

TEST_F(LinesTest, GzipCutAnywhereIsAnError) {
  const std::string whole = gzip("some text that is long enough\nfor two lines\n");
  for (size_t length = 2; length < whole.size(); ++length) {
    const auto path = write("cut.gz", whole.substr(0, length));
    EXPECT_THAT(error_of([&] { lines_of(path); }), HasSubstr("cut.gz is cut short")) << length;
  }
  EXPECT_THAT(error_of([&] { lines_of(write("cut.gz", "")); }), HasSubstr("not gzip"));
  const auto second = write("cut.gz", whole + whole.substr(0, 12));
  EXPECT_THAT(error_of([&] { lines_of(second); }), HasSubstr("cut short"));
}

TEST_F(LinesTest, DamagedGzipIsAnError) {
  std::string whole = gzip("some text that is long enough\nfor two lines\n");
  whole[whole.size() - 6] ^= 1;  // the checksum
  EXPECT_THAT(error_of([&] { lines_of(write("a.gz", whole)); }), HasSubstr("a.gz is damaged"));
  EXPECT_THAT(error_of([&] { lines_of(write("b.gz", gzip("one\n") + "trailing")); }),
              HasSubstr("b.gz is damaged"));
  EXPECT_THAT(error_of([&] { lines_of(write("c.gz", "plain text\n")); }),
              HasSubstr("c.gz is not gzip"));
}

TEST_F(LinesTest, NamesWhatCannotBeOpened) {
  EXPECT_THAT(error_of([&] { lines_of(folder_ / "none.txt"); }), HasSubstr("none.txt: No such"));
  EXPECT_THAT(error_of([&] { lines_of(folder_); }), HasSubstr("is a directory"));
  if (::geteuid() != 0) {
    const auto path = write("secret", "x\n");
    std::filesystem::permissions(path, std::filesystem::perms::none);
    EXPECT_THAT(error_of([&] { lines_of(path); }), HasSubstr("Permission denied"));
  }
}

TEST_F(LinesTest, EndlessLinesAreAnError) {
  const auto path = write("long", "short\n");
  std::filesystem::resize_file(path, uintmax_t(LineReader::kMaxLineBytes) + 100);  // NULs
  EXPECT_THAT(error_of([&] { lines_of(path); }), HasSubstr("long:2: line longer than 64 MiB"));
}

TEST(LineReader, WaitsForWholeLines) {
  using std::chrono::milliseconds;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  LineReader reader(ends[0], "standard input");
  EXPECT_FALSE(reader.wait(milliseconds(0)));
  ASSERT_EQ(::write(ends[1], "one\ntwo\nth", 10), 10);
  std::string line;
  EXPECT_TRUE(reader.wait(milliseconds(0)));
  EXPECT_TRUE(reader.next(line));
  EXPECT_TRUE(reader.wait(milliseconds(0)));
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "two");
  EXPECT_FALSE(reader.wait(milliseconds(20))) << "next() would wait for the end of the line";
  ASSERT_EQ(::write(ends[1], "ree\n\nfo", 7), 7);
  EXPECT_TRUE(reader.wait(milliseconds(1000)));
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "three");
  EXPECT_TRUE(reader.wait(milliseconds(0)));
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "");
  EXPECT_EQ(reader.line_number(), 4);
  EXPECT_FALSE(reader.wait(milliseconds(0)));
  ::close(ends[1]);
  EXPECT_TRUE(reader.wait(milliseconds(0)));
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "fo");
  EXPECT_TRUE(reader.wait(milliseconds(0)));
  EXPECT_FALSE(reader.next(line));
  ::close(ends[0]);
}

// A byte that may begin gzip is waited for no longer than asked.
TEST(LineReader, WaitsNoLongerBehindHalfOfTheBytesThatTellGzip) {
  using std::chrono::milliseconds;
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const timeval patience{0, 200'000};  // a reader that waits in spite of it gets an error
  ASSERT_EQ(::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
  LineReader reader(ends[0], "standard input");
  ASSERT_EQ(::write(ends[1], "\x1f", 1), 1);
  EXPECT_FALSE(reader.wait(milliseconds(0)));
  EXPECT_FALSE(reader.wait(milliseconds(20)));
  ASSERT_EQ(::write(ends[1], "x\n\x1f", 3), 3);
  EXPECT_TRUE(reader.wait(milliseconds(1000)));
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "\x1fx");
  EXPECT_FALSE(reader.wait(milliseconds(0)));
  ::close(ends[1]);
  EXPECT_TRUE(reader.wait(milliseconds(0)));
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "\x1f");
  EXPECT_FALSE(reader.next(line));
  ::close(ends[0]);
}

// A signal that ends the waiting for input brings no input.
TEST(LineReader, WaitsOnBehindASignal) {
  using std::chrono::milliseconds;
  struct sigaction quiet {
  }, before{};
  quiet.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGUSR1, &quiet, &before), 0);
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const timeval patience{0, 200'000};  // a reader that reads in spite of it gets an error
  ASSERT_EQ(::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
  LineReader reader(ends[0], "standard input");
  std::thread interrupter([waiting = ::pthread_self()] {
    std::this_thread::sleep_for(milliseconds(50));
    ::pthread_kill(waiting, SIGUSR1);
  });
  bool has_line = true;
  EXPECT_NO_THROW(has_line = reader.wait(milliseconds(300)));
  EXPECT_FALSE(has_line);
  interrupter.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(LinesTest, AFileMayEndBehindHalfOfTheBytesThatTellGzip) {
  EXPECT_THAT(lines_of(write("half", "\x1f")), ElementsAre("\x1f"));
  EXPECT_THAT(error_of([&] { lines_of(write("half.gz", "\x1f")); }), HasFacts("half.gz gzip"));
}

}  // namespace
}  // namespace heed
