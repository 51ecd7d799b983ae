#include "heed/train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

TEST(LearningRate, NoamIsEquationThree) {
  RateSchedule schedule{.warmup_steps = 4000, .d_model = 512};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 1), 1 / std::sqrt(512.0) * std::pow(4000, -1.5));
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 4000), 1 / std::sqrt(512.0 * 4000));
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 100000), 1 / std::sqrt(512.0 * 100000));
  schedule.rate = 2;
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 100000), 2 / std::sqrt(512.0 * 100000));
}

TEST(LearningRate, InverseSquareRootRisesToItsPeak) {
  const RateSchedule schedule{
      .schedule = Schedule::inverse_sqrt, .rate = 0.001, .warmup_steps = 100};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 50), 0.0005);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 100), 0.001);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 400), 0.0005);
}

TEST(LearningRate, ConstantMayHaveAWarmup) {
  RateSchedule schedule{.schedule = Schedule::constant, .rate = 1e-4, .warmup_steps = 0};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 1), 1e-4);
  schedule.warmup_steps = 10;
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 1), 1e-5);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 11), 1e-4);
}

TEST(LearningRate, LinearAndCosineFallToTheirEndAndStay) {
  RateSchedule schedule{.warmup_steps = 10, .decay_steps = 110, .final_fraction = 0.2};
  for (const Schedule shape : {Schedule::linear, Schedule::cosine}) {
    schedule.schedule = shape;
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 1), 0.1);
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 10), 1);
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 60), 0.6);
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 110), 0.2);
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 1000), 0.2);
  }
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 35), 0.2 + 0.8 * (1 + std::sqrt(0.5)) / 2);
  schedule.schedule = Schedule::linear;
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 35), 0.8);
  schedule.warmup_steps = 0;
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 1), 1 - 0.8 / 110);
}

TEST(AverageDecay, GrowsToItsLimit) {
  EXPECT_DOUBLE_EQ(ema_decay(0.999, 1), 2.0 / 11);
  EXPECT_DOUBLE_EQ(ema_decay(0.999, 90), 0.91);
  EXPECT_DOUBLE_EQ(ema_decay(0.999, 100000), 0.999);
  EXPECT_DOUBLE_EQ(ema_decay(0.1, 1), 0.1);
}

}  // namespace
}  // namespace heed
