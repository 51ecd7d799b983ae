// Where --output may lead, and what is left when the program is ended on the way.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "heed/core/directory_lock.h"
#include "heed/text/lines.h"
#include "small_model_test.h"
#include "support/sanitized.h"

namespace heed::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class OutputTest : public SmallModelTest {
 protected:
  void SetUp() override {
    fs::remove_all(*folder_ / "out");
    fs::create_directory(*folder_ / "out");
  }
  static RunResult translate_to(const std::string& output) {
    return heed(with(translate("m"), {"--output", output, "--quiet"}), {}, kLines);
  }
  static std::string translation() { return heed(translate("m"), {}, kLines).out; }
  static std::vector<std::string> score_to(const std::string& output) {
    return {"score",    "--model",  "m",       "--source", "valid.zh",
            "--target", "valid.en", "--quiet", "--output", output};
  }
  static std::string unpacked(const std::string& name) {
    std::string text;
    for (const std::string& line : read_lines(*folder_ / name)) text += line + "\n";
    return text;
  }
  static constexpr const char* kLines = "你好。\n他是老师。\n";
};

TEST_F(OutputTest, ANameThatEndsInGzIsWrittenAsGzip) {
  EXPECT_EQ(translate_to("out/a.gz").status, 0);
  EXPECT_THAT(folder_->read("out/a.gz"), StartsWith("\x1f\x8b"));
  EXPECT_EQ(unpacked("out/a.gz"), translation());
  for (const char* name : {"out/scores", "out/scores.gz"})
    EXPECT_EQ(heed(score_to(name)).status, 0);
  EXPECT_THAT(folder_->read("out/scores.gz"), StartsWith("\x1f\x8b"));
  EXPECT_EQ(unpacked("out/scores.gz"), folder_->read("out/scores"));
  for (const char* name : {"out/page", "out/page.gz"})
    EXPECT_EQ(heed({"inspect", "data", "valid.zh", "valid.en", "--html", name}).status, 0);
  EXPECT_THAT(folder_->read("out/page.gz"), StartsWith("\x1f\x8b"));
  EXPECT_EQ(unpacked("out/page.gz"), folder_->read("out/page"));
}

TEST_F(OutputTest, ADeviceOrAPipeIsWrittenToDirectly) {
  EXPECT_EQ(translate_to("/dev/null").status, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(heed(with(translate("m"), {"--input", "/dev/null", "--output", "/dev/null"})).status,
            0);
  expect_failure(translate_to("/dev/full"), "/dev/full");
  const fs::path pipe = *folder_ / "out/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] {
    for (const std::string& line : read_lines(pipe)) received += line + "\n";
  });
  const RunResult result = translate_to("out/pipe");
  if (result.status != 0) ::close(::open(pipe.c_str(), O_WRONLY | O_NONBLOCK));  // frees the reader
  reader.join();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(received, translation());
  EXPECT_TRUE(fs::is_fifo(pipe));
}

// Redirected to a file, which a rename would replace: what the file held before would be lost.
TEST_F(OutputTest, StandardStreamsStayWhatTheyAre) {
  const RunResult out = translate_to("/dev/stdout");
  EXPECT_EQ(out.status, 0) << out.err;
  EXPECT_EQ(out.out, translation());
  const RunResult err = translate_to("/dev/stderr");
  EXPECT_THAT(err.err, StartsWith(translation()));
  EXPECT_THAT(err.out, IsEmpty());
}

TEST_F(OutputTest, AHyphenIsStandardOutput) {
  const RunResult translated = translate_to("-");
  EXPECT_EQ(translated.status, 0) << translated.err;
  EXPECT_EQ(translated.out, translation());
  EXPECT_EQ(heed(score_to("-")).out.empty(), false);
  expect_failure(heed({"average", "m", "--output", "-"}), "--output -", 2);
  expect_failure(heed({"quantize", "--model", "m", "--output", "-"}), "--output -", 2);
  expect_failure(heed({"phrasebook", "--pairs", "10", "--output", "-"}), "--output -", 2);
  expect_failure(heed({"inspect", "data", "valid.zh", "valid.en", "--html", "-"}), "--html -", 2);
  EXPECT_FALSE(fs::exists(*folder_ / "-"));
}

TEST_F(OutputTest, SlowAPhrasebookThatFindsNoRoomLeavesNothing) {
  const auto write = [](const char* output) {
    return heed({"phrasebook", "--pairs", "20000", "--output", output}, {.file_size = 100'000});
  };
  expect_failure(write("out/deep/p"), "out/deep/p/train.");
  EXPECT_TRUE(fs::is_empty(*folder_ / "out"));
  fs::create_directory(*folder_ / "out/mine");
  expect_failure(write("out/mine"), "out/mine/train.");
  EXPECT_TRUE(fs::is_empty(*folder_ / "out/mine"));
}

TEST_F(OutputTest, AModelIsNoDevice) {
  const auto refused = [](const std::vector<std::string>& command) {
    const RunResult result = heed(command);
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_THAT(result.err, HasSubstr("/dev/null"));
  };
  refused(train("/dev/null"));
  refused({"average", "m", "--output", "/dev/null"});
  refused({"quantize", "--model", "m", "--output", "/dev/null"});
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputTest, AFolderThatIsBeingTrainedIsNotWrittenTo) {
  fs::copy(*folder_ / "m", *folder_ / "out/m", fs::copy_options::recursive);
  const std::string before = folder_->read("out/m/model.safetensors");
  const heed::DirectoryLock training(*folder_ / "out/m");
  expect_failure(heed({"average", "other", "--output", "out/m", "--overwrite"}), "out/m");
  expect_failure(heed({"quantize", "--model", "other", "--output", "out/m", "--overwrite"}),
                 "out/m");
  expect_failure(heed(with(train("out/m"), {"--overwrite"})), "out/m");
  EXPECT_EQ(folder_->read("out/m/model.safetensors"), before);
  EXPECT_EQ(heed(translate("out/m"), {}, kLines).status, 0);
}

TEST_F(OutputTest, WhereNothingCanBeLockedTheProgramWorks) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer must be the first library";
  fs::copy(*folder_ / "m", *folder_ / "out/m", fs::copy_options::recursive);
  const heed::DirectoryLock unseen(*folder_ / "out/m");
  const RunResult result =
      heed(with(train("out/m"), {"--resume", "--steps", "5"}), {.preload = HEED_NO_LOCKS});
  EXPECT_EQ(result.status, 0) << result.err;
}

// Ends a translation by a signal once it writes. Where files have no name before they are whole,
// there is nothing to see of that: it is then ended at some moment.
void end_while_it_writes(const fs::path& folder, const std::string& preload, int signal) {
  RunningHeed heed({"translate", "--model", "m", "--output", "out/text"}, folder, preload);
  heed.write("你好。\n");
  for (int i = 0; i < (preload.empty() ? 50 : 1000) && fs::is_empty(folder / "out"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(fs::is_empty(folder / "out"), preload.empty());
  heed.send(signal);
  EXPECT_EQ(heed.wait(), 128 + signal);
}

TEST_F(OutputTest, ASignalLeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGKILL}) {
    end_while_it_writes(folder_->path(), "", signal);
    EXPECT_TRUE(fs::is_empty(*folder_ / "out")) << signal;
  }
}

TEST_F(OutputTest, ASignalLeavesNothingWhereAllFilesHaveNames) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer must be the first library";
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    end_while_it_writes(folder_->path(), HEED_NO_UNNAMED_FILES, signal);
    EXPECT_TRUE(fs::is_empty(*folder_ / "out")) << signal;
  }
  end_while_it_writes(folder_->path(), HEED_NO_UNNAMED_FILES, SIGKILL);
  EXPECT_FALSE(fs::is_empty(*folder_ / "out"));
  EXPECT_EQ(translate_to("out/text").status, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(*folder_ / "out"), {}), 1) << "swept by the next";
}

}  // namespace
}  // namespace heed::testing
