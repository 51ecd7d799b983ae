#include "heed/run/checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/run/run_settings.h"

namespace heed {
namespace {

using ::testing::ElementsAre;

CheckpointSettings keeping(int64_t count, const std::string& average) {
  TrainOptions options;
  options.source = options.target = {"text"};
  options.hold_out = 1;
  options.keep_checkpoints = count;
  options.average = average;
  return resolve(options).checkpoints;
}

// Checkpoints of steps 1, 2, ... with these scores, as a run keeps them.
std::vector<Checkpoint> kept_of(const CheckpointSettings& settings,
                                const std::vector<double>& scores) {
  std::vector<Checkpoint> kept;
  for (size_t i = 0; i < scores.size(); ++i)
    add_checkpoint(settings, {int64_t(i) + 1, scores[i]}, kept);
  return kept;
}

std::vector<int64_t> steps_of(const std::vector<Checkpoint>& checkpoints) {
  std::vector<int64_t> steps;
  for (const Checkpoint& c : checkpoints) steps.push_back(c.step);
  return steps;
}

TEST(Checkpoints, ARunKeepsNoneUnlessAsked) {
  EXPECT_EQ(keeping(0, "").kept, 0);
  EXPECT_EQ(keeping(1, "").kept, 1);
  EXPECT_EQ(keeping(0, "last:1").kept, 1);
}

TEST(Checkpoints, TheOldestIsDropped) {
  EXPECT_THAT(steps_of(kept_of(keeping(3, ""), {5, 1, 2, 3, 4})), ElementsAre(3, 4, 5));
  EXPECT_THAT(steps_of(kept_of(keeping(1, ""), {5, 1, 2})), ElementsAre(3));
  EXPECT_THAT(steps_of(kept_of(keeping(0, "last:2"), {5, 1, 2, 3, 4})), ElementsAre(4, 5));
  EXPECT_THAT(steps_of(kept_of(keeping(3, "last:2"), {5, 1, 2, 3, 4})), ElementsAre(3, 4, 5));
}

TEST(Checkpoints, WhereTheBestAreAveragedTheWorstIsDropped) {
  EXPECT_THAT(steps_of(kept_of(keeping(1, "best:2"), {5, 1, 2, 3, 4})), ElementsAre(1, 5));
  EXPECT_THAT(steps_of(kept_of(keeping(1, "best:2"), {1, 2, 2, 2})), ElementsAre(3, 4))
      << "of equals the oldest";
}

TEST(Checkpoints, TheMeanIsOfTheLastOrTheBest) {
  const std::vector<double> scores = {5, 1, 3, 2, 3};
  const auto chosen = [&](const CheckpointSettings& settings) {
    return steps_of(checkpoints_to_average(settings, kept_of(settings, scores)));
  };
  EXPECT_THAT(chosen(keeping(5, "")), ElementsAre());
  EXPECT_THAT(chosen(keeping(5, "last:2")), ElementsAre(5, 4));
  EXPECT_THAT(chosen(keeping(5, "best:3")), ElementsAre(1, 3, 5));
  EXPECT_THAT(steps_of(checkpoints_to_average(keeping(1, "last:3"), {{7, {}}})), ElementsAre(7));
}

TEST(Checkpoints, OnlyTheBestNeedScores) {
  const std::vector<Checkpoint> unscored = {{1, 0.5}, {2, {}}};
  EXPECT_TRUE(can_average(keeping(2, "last:2"), unscored));
  EXPECT_TRUE(can_average(keeping(2, ""), unscored));
  EXPECT_FALSE(can_average(keeping(2, "best:2"), unscored));
  EXPECT_TRUE(can_average(keeping(2, "best:2"), {unscored.data(), unscored.data() + 1}));
}

}  // namespace
}  // namespace heed
