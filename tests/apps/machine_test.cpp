// What a machine may do to the program: a full disk, no rights, no memory, files and clocks that
// change under its hands. Nothing may be lost, and no part of a file taken for the whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <csignal>
#include <regex>

#include "small_model_test.h"
#include "support/facts.h"
#include "support/sanitized.h"

namespace heed::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// A disk of its own of that size, where the machine lets us have one.
class SmallDisk {
 public:
  SmallDisk(fs::path place, const std::string& size) : place_(std::move(place)) {
    fs::create_directories(place_);
    mounted_ = mount("none", place_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(place_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }
  void make_read_only() const {
    mount("none", place_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr);
  }

 private:
  fs::path place_;
  bool mounted_ = false;
};

class MachineTest : public SmallModelTest {};

TEST_F(MachineTest, AFullDiskKeepsTheLastGoodState) {
  const SmallDisk disk(*folder_ / "disk", "4m");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk is not allowed here";
  fs::copy(*folder_ / "m", *folder_ / "disk/m", fs::copy_options::recursive);
  const std::string state = folder_->read("disk/m/training/state.safetensors");
  const std::string model = folder_->read("disk/m/model.safetensors");
  // What is left is less than a new state needs.
  const auto left = fs::space(*folder_ / "disk").available;
  ASSERT_GT(left, state.size());
  folder_->write("disk/filler", std::string(left - state.size() / 2, 'x'));
  const auto longer = with(train("disk/m"), {"--resume", "--steps", "6"});
  expect_failure(heed(longer), "disk/m/training/state.safetensors");
  EXPECT_EQ(folder_->read("disk/m/training/state.safetensors"), state);
  EXPECT_EQ(folder_->read("disk/m/model.safetensors"), model);
  expect_nothing_half_written(*folder_ / "disk/m");
  expect_failure(heed(train("disk/new")), "disk/new/");  // a second model does not fit at all
  EXPECT_FALSE(fs::exists(*folder_ / "disk/new"));
  fs::remove(*folder_ / "disk/filler");
  EXPECT_EQ(heed(longer).status, 0) << "with room again the run goes on";
}

TEST_F(MachineTest, AFullDiskLeavesNoPartOfATranslation) {
  const SmallDisk disk(*folder_ / "small", "64k");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk is not allowed here";
  folder_->write("small/filler", std::string(fs::space(*folder_ / "small").available, 'x'));
  expect_failure(heed(with(translate("m"), {"--output", "small/out"}), {}, "你好。\n"),
                 "small/out");
  EXPECT_FALSE(fs::exists(*folder_ / "small/out"));
  expect_nothing_half_written(*folder_ / "small");
  expect_failure(heed(translate("m"), {.output = OutputTo::full_disk}, "你好。\n"),
                 "standard output");
}

TEST_F(MachineTest, AReadOnlyFolderIsNamed) {
  const SmallDisk disk(*folder_ / "fixed", "4m");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk is not allowed here";
  fs::copy(*folder_ / "m", *folder_ / "fixed/m", fs::copy_options::recursive);
  disk.make_read_only();
  expect_failure(heed(train("fixed/new")), "fixed/new");
  expect_failure(heed(with(train("fixed/m"), {"--resume", "--steps", "6"})), "fixed/m/");
  expect_failure(heed(with(translate("m"), {"--output", "fixed/out"}), {}, "你好。\n"),
                 "fixed/out Read-only");
  EXPECT_EQ(heed(translate("fixed/m"), {}, "你好。\n").status, 0) << "reading needs no rights";
}

TEST_F(MachineTest, MissingRightsAreNamed) {
  for (const char* name : {"locked", "locked/inside"}) fs::create_directory(*folder_ / name);
  folder_->write("locked/text", "你好。\n");
  fs::copy(*folder_ / "m", *folder_ / "locked/m");
  fs::permissions(*folder_ / "locked/text", fs::perms::none);
  fs::permissions(*folder_ / "locked/m/config.json", fs::perms::none);
  fs::permissions(*folder_ / "locked", fs::perms(0555));
  const Conditions nobody{.as_nobody = true};
  if (heed({"version"}, nobody).status != 0) GTEST_SKIP() << "nobody may not run the program here";
  expect_failure(heed(train("locked/new"), nobody), "locked/new");
  expect_failure(heed(with(translate("m"), {"--input", "locked/text"}), nobody), "locked/text");
  expect_failure(heed(with(translate("m"), {"--output", "locked/out"}), nobody, "你好。\n"),
                 "locked/out");
  expect_failure(heed(translate("locked/m"), nobody), "config.json");
  expect_failure(heed(train_on("locked/text", "locked/text", "new"), nobody), "locked/text");
  fs::permissions(*folder_ / "locked", fs::perms(0700));
  for (const char* model : {"locked", "locked/m"})
    expect_failure(heed(translate(model), nobody), std::string(model) + " Permission");
  fs::permissions(*folder_ / "locked", fs::perms(0755));
}

TEST_F(MachineTest, AReaderThatIsGoneEndsATranslationQuietly) {
  const RunResult result =
      heed(translate("m"), {.output = OutputTo::closed_pipe}, "你好。\n他是老师。\n");
  EXPECT_EQ(result.status, 128 + SIGPIPE);
  EXPECT_THAT(result.err, IsEmpty());
}

TEST_F(MachineTest, TooLittleMemoryIsAnError) {
  if (is_sanitized()) GTEST_SKIP() << "sanitizers need all addresses";
  constexpr int64_t kMiB = int64_t{1} << 20;
  const std::string help = heed({"train", "--help"}).out;
  const std::regex flag("--[a-z-]+");
  for (const int64_t limit : {30, 40, 80, 200}) {
    const RunResult result = heed(
        with(train("big"), {"--d-model", "512", "--d-ff", "2048", "--overwrite", "--threads", "2"}),
        {.memory = limit * kMiB});
    EXPECT_EQ(result.status, 1) << limit;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_THAT(result.err,
                AnyOf(HasFacts("memory"), HasSubstr("cannot"), HasSubstr("ulimit -v has")));
    for (auto it = std::sregex_iterator(result.err.begin(), result.err.end(), flag);
         it != std::sregex_iterator(); ++it)
      EXPECT_THAT(help, HasSubstr("  " + it->str() + " ")) << "advice that nobody can take";
    EXPECT_FALSE(fs::exists(*folder_ / "big/model.safetensors"));
  }
}

TEST_F(MachineTest, ATextTooLargeForTheMemoryIsNoMatterOfBatches) {
  if (is_sanitized()) GTEST_SKIP() << "sanitizers need all addresses";
  std::string text;
  for (int i = 0; i < 3'000'000; ++i) text += "a\n";
  folder_->write("long", text);
  const RunResult result = heed({"evaluate", "--hypothesis", "long", "--reference", "long"},
                                {.memory = int64_t{100} << 20});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasFacts("memory texts"));
  EXPECT_THAT(result.err, Not(HasSubstr("batch")));
}

TEST_F(MachineTest, AModelReplacedWhileItTranslatesChangesNothing) {
  fs::copy(*folder_ / "m", *folder_ / "live");
  const std::string expected = heed(translate("m"), {}, "你好。\n").out;
  RunningHeed running(translate("live"), folder_->path());
  running.write("你好。\n");
  EXPECT_EQ(running.read_output_line() + "\n", expected);
  for (const auto& entry : fs::directory_iterator(*folder_ / "other"))
    if (entry.is_regular_file()) {
      fs::copy_file(entry.path(), *folder_ / "live/new");
      fs::rename(*folder_ / "live/new", *folder_ / "live" / entry.path().filename());
    }
  running.write("你好。\n");
  EXPECT_EQ(running.read_output_line() + "\n", expected);
  EXPECT_EQ(running.wait(), 0);
}

TEST_F(MachineTest, AFileCutWhileItIsReadIsAnError) {
  RunningHeed running(with(train("cut"), {"--steps", "1000000", "--report-every", "1", "--no-quiet",
                                          "--batch-tokens", "2048"}),
                      folder_->path());
  std::string line = running.read_error_line();
  while (!line.empty() && !line.starts_with("step 2,")) line = running.read_error_line();
  ASSERT_THAT(line, StartsWith("step 2,"));
  fs::resize_file(*folder_ / "cut/training/train.corpus", 0);
  std::string last;
  for (; !line.empty(); line = running.read_error_line()) last = line;
  EXPECT_THAT(last, StartsWith("heed: a file became shorter while it was read"));
  EXPECT_EQ(running.wait(), 1);
}

TEST_F(MachineTest, AClockThatJumpsChangesNothing) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer must be the first library";
  const Conditions jumping{.preload = HEED_JUMPING_CLOCK};
  const RunResult trained = heed(with(train("jumped"), {"--minutes", "5"}), jumping);
  EXPECT_EQ(trained.status, 0) << trained.err;
  EXPECT_EQ(folder_->read("jumped/model.safetensors"), folder_->read("m/model.safetensors"));
  EXPECT_EQ(heed(translate("jumped"), jumping, "你好。\n").out,
            heed(translate("m"), {}, "你好。\n").out);
  // The bound in minutes is kept: neither at once nor never.
  const RunResult bounded = heed(
      with(train("bounded"), {"--steps", "1000000", "--minutes", "0.02", "--no-quiet"}), jumping);
  EXPECT_EQ(bounded.status, 0) << bounded.err;
  EXPECT_TRUE(fs::exists(*folder_ / "bounded/model.safetensors"));
}

}  // namespace
}  // namespace heed::testing
