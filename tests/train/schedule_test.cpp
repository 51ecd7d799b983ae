#include "heed/train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

TEST(LearningRate, NoamIsEquationThree) {
  TrainOptions options;
  options.warmup = 4000;
  EXPECT_DOUBLE_EQ(learning_rate(options, 512, 1), 1 / std::sqrt(512.0) * std::pow(4000, -1.5));
  EXPECT_DOUBLE_EQ(learning_rate(options, 512, 4000), 1 / std::sqrt(512.0 * 4000));
  EXPECT_DOUBLE_EQ(learning_rate(options, 512, 100000), 1 / std::sqrt(512.0 * 100000));
  options.learning_rate = 2;
  EXPECT_DOUBLE_EQ(learning_rate(options, 512, 100000), 2 / std::sqrt(512.0 * 100000));
}

TEST(LearningRate, InverseSquareRootRisesToItsPeak) {
  TrainOptions options;
  options.schedule = Schedule::inverse_sqrt;
  options.warmup = 100;
  options.learning_rate = 0.001;
  EXPECT_DOUBLE_EQ(learning_rate(options, 512, 50), 0.0005);
  EXPECT_DOUBLE_EQ(learning_rate(options, 512, 100), 0.001);
  EXPECT_DOUBLE_EQ(learning_rate(options, 512, 400), 0.0005);
}

TEST(LearningRate, ConstantHasNoWarmupUnlessAsked) {
  TrainOptions options;
  options.schedule = Schedule::constant;
  options.learning_rate = 1e-4;
  EXPECT_DOUBLE_EQ(learning_rate(options, 512, 1), 1e-4);
  options.warmup = 10;
  EXPECT_DOUBLE_EQ(learning_rate(options, 512, 1), 1e-5);
  EXPECT_DOUBLE_EQ(learning_rate(options, 512, 11), 1e-4);
}

TEST(TrainOptions, ContradictionsAreNamed) {
  const auto message = [](auto change) {
    TrainOptions options;
    options.source = options.target = {"a"};
    options.model = "m";
    change(options);
    try {
      check_consistent(options);
    } catch (const UsageError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message([](TrainOptions&) {}), "");
  EXPECT_EQ(message([](TrainOptions& o) { o.target.push_back("b"); }),
            "--source names 1 files and --target 2: they go together one by one");
  EXPECT_NE(message([](TrainOptions& o) { o.valid_source = "v"; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.patience = 3; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.average = "mean:3"; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.average = "last:0"; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.average = "best:2"; }), "");
  EXPECT_EQ(message([](TrainOptions& o) { o.average = "last:5"; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.shards = 3; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.resume = o.overwrite = true; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.vocabularies = Vocabularies::separate; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.warmup = 0; }), "");
}

}  // namespace
}  // namespace heed
