// The training of heed demo.
#include "commands/demo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "run_heed.h"
#include "support/facts.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

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

}  // namespace
}  // namespace heed::testing
