// The training of heed demo.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <filesystem>

#include "commands/phrasebook.h"
#include "run_heed.h"
#include "support/facts.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

using ::testing::Not;

// The demo has no options of the schedule: no run of it may be asked to change them.
TEST(DemoTest, AShorterRunWarmsUpOverFewerSteps) {
  constexpr double kStepsPerMinute = 500;  // of a slow machine
  const TrainOptions usual = demo_training("d", 2);
  EXPECT_EQ(usual.warmup_steps, 800);
  EXPECT_EQ(demo_training("d", 60).warmup_steps, usual.warmup_steps);
  const auto peak = [](const TrainOptions& options) {
    return *options.learning_rate / std::sqrt(double(*options.warmup_steps));
  };
  for (const double minutes : {0.1, 0.3, 0.5, 1.0, 2.0}) {
    const TrainOptions options = demo_training("d", minutes);
    EXPECT_LT(double(*options.warmup_steps), kStepsPerMinute* minutes) << minutes;
    EXPECT_LE(peak(options), 2.001 * peak(usual)) << minutes;
    EXPECT_GE(peak(options), peak(usual)) << minutes;
  }
}

TEST(DemoTest, AFolderWithOtherFilesIsRefused) {
  const TemporaryFolder folder;
  folder.write("train.zh", "mine\n");
  for (const auto& [directory, status] : {std::pair(".", 2), {"train.zh", 1}}) {
    const RunResult result = run_heed({"demo", "--directory", directory}, folder.path());
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_THAT(result.err, HasFacts(directory));
  }
  EXPECT_EQ(folder.read("train.zh"), "mine\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "train.en"));
}

// It has no --resume: what it says after Ctrl-C must be something that it can do.
TEST(DemoTest, SoakAStoppedRunNamesWhatCanBeDoneWithIt) {
  const TemporaryFolder folder;
  RunningHeed heed({"demo", "--directory", "d"}, folder.path());
  await_message(heed, "step ");
  heed.send(SIGINT);
  const std::string last = await_message(heed, "stopped after step");
  EXPECT_THAT(last, HasFacts("translate --model d/model heed demo"));
  EXPECT_THAT(last, Not(HasFacts("--resume")));
  EXPECT_EQ(heed.wait(), 130);
  EXPECT_TRUE(std::filesystem::exists(folder / "d/model/model.safetensors"));
}

}  // namespace
}  // namespace heed::testing
