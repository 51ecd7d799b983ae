#include "heed/train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/run/resolved_options.h"

namespace heed {
namespace {

// Of a model 512 wide.
double rate(const TrainOptions& options, int64_t step) {
  return learning_rate(rate_schedule(with_defaults(options), 512), step);
}

TEST(LearningRate, NoamIsEquationThree) {
  TrainOptions options;
  options.warmup_steps = 4000;
  EXPECT_DOUBLE_EQ(rate(options, 1), 1 / std::sqrt(512.0) * std::pow(4000, -1.5));
  EXPECT_DOUBLE_EQ(rate(options, 4000), 1 / std::sqrt(512.0 * 4000));
  EXPECT_DOUBLE_EQ(rate(options, 100000), 1 / std::sqrt(512.0 * 100000));
  options.learning_rate = 2;
  EXPECT_DOUBLE_EQ(rate(options, 100000), 2 / std::sqrt(512.0 * 100000));
}

TEST(LearningRate, InverseSquareRootRisesToItsPeak) {
  TrainOptions options;
  options.schedule = Schedule::inverse_sqrt;
  options.warmup_steps = 100;
  options.learning_rate = 0.001;
  EXPECT_DOUBLE_EQ(rate(options, 50), 0.0005);
  EXPECT_DOUBLE_EQ(rate(options, 100), 0.001);
  EXPECT_DOUBLE_EQ(rate(options, 400), 0.0005);
}

TEST(LearningRate, ConstantHasNoWarmupUnlessAsked) {
  TrainOptions options;
  options.schedule = Schedule::constant;
  options.learning_rate = 1e-4;
  EXPECT_DOUBLE_EQ(rate(options, 1), 1e-4);
  options.warmup_steps = 10;
  EXPECT_DOUBLE_EQ(rate(options, 1), 1e-5);
  EXPECT_DOUBLE_EQ(rate(options, 11), 1e-4);
}

TEST(LearningRate, LinearAndCosineFallToTheirEndAndStay) {
  TrainOptions options;
  options.learning_rate = 1;
  options.warmup_steps = 10;
  options.decay_steps = 110;
  options.final_fraction = 0.2;
  for (const Schedule schedule : {Schedule::linear, Schedule::cosine}) {
    options.schedule = schedule;
    EXPECT_DOUBLE_EQ(rate(options, 1), 0.1);
    EXPECT_DOUBLE_EQ(rate(options, 10), 1);
    EXPECT_DOUBLE_EQ(rate(options, 60), 0.6);
    EXPECT_DOUBLE_EQ(rate(options, 110), 0.2);
    EXPECT_DOUBLE_EQ(rate(options, 1000), 0.2);
  }
  EXPECT_DOUBLE_EQ(rate(options, 35), 0.2 + 0.8 * (1 + std::sqrt(0.5)) / 2);
  options.schedule = Schedule::linear;
  EXPECT_DOUBLE_EQ(rate(options, 35), 0.8);
  options.warmup_steps = 0;
  EXPECT_DOUBLE_EQ(rate(options, 1), 1 - 0.8 / 110);
}

TEST(AverageDecay, GrowsToItsLimit) {
  EXPECT_DOUBLE_EQ(ema_decay(0.999, 1), 2.0 / 11);
  EXPECT_DOUBLE_EQ(ema_decay(0.999, 90), 0.91);
  EXPECT_DOUBLE_EQ(ema_decay(0.999, 100000), 0.999);
  EXPECT_DOUBLE_EQ(ema_decay(0.1, 1), 0.1);
}

TEST(TrainOptions, AScheduleThatEndsTakesItsEndFromTheSteps) {
  const auto uncounted = []() -> int64_t { throw std::logic_error("nobody needs them"); };
  TrainOptions options;
  options.steps = 500;
  EXPECT_FALSE(with_data_defaults(options, uncounted).decay_steps.has_value());
  options.schedule = Schedule::cosine;
  EXPECT_EQ(with_data_defaults(options, uncounted).decay_steps, 500);
  options.epochs = 3;
  EXPECT_EQ(with_data_defaults(options, uncounted).decay_steps, 500);
  options.decay_steps = 300;
  EXPECT_EQ(with_data_defaults(options, uncounted).decay_steps, 300);
}

TEST(TrainOptions, AScheduleThatEndsTakesItsEndFromTheEpochs) {
  TrainOptions options;
  options.schedule = Schedule::linear;
  const auto end = [&](int64_t epoch_steps) {
    return with_data_defaults(options, [&] { return epoch_steps; }).decay_steps;
  };
  EXPECT_EQ(end(500), 10'000);  // of 20 epochs, where nothing is said
  options.epochs = 3;
  EXPECT_EQ(end(2000), 6000);
  options.minutes = 5;
  EXPECT_EQ(end(2000), 6000);
  options.epochs = 1'000'000;
  EXPECT_EQ(end(1'000'000), 1'000'000'000);
  options.epochs = 2;
  try {
    end(2000);
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "--warmup-steps is 4000, expected less than the 4000 steps of --schedule linear");
  }
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
            "--source names 1 file and --target 2: they go together one by one");
  EXPECT_NE(message([](TrainOptions& o) { o.valid_source = "v"; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.patience = 3; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.average = "mean:3"; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.average = "last:0"; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.average = "best:2"; }), "");
  EXPECT_EQ(message([](TrainOptions& o) { o.average = "last:5"; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.shards = 3; }), "");
  EXPECT_EQ(message([](TrainOptions& o) {
              o.finetune_from = "d";
              o.initialization = InitialWeights::fan_in;
            }),
            "--finetune-from brings its own weights: it contradicts --initialization");
  EXPECT_NE(message([](TrainOptions& o) { o.resume = o.overwrite = true; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.vocabularies = Vocabularies::separate; }), "");
  EXPECT_NE(message([](TrainOptions& o) { o.warmup_steps = 0; }), "");
  EXPECT_EQ(message([](TrainOptions& o) { o.weight_decay = 0.1; }),
            "--weight-decay works with --optimizer adamw only");
  EXPECT_EQ(message([](TrainOptions& o) { o.decay_steps = 10; }),
            "--decay-steps works with --schedule linear and cosine, not noam");
  EXPECT_EQ(message([](TrainOptions& o) { o.final_fraction = 0; }),
            "--final-fraction works with --schedule linear and cosine, not noam");
  EXPECT_EQ(message([](TrainOptions& o) { o.schedule = Schedule::cosine; }), "");
  EXPECT_EQ(message([](TrainOptions& o) { o.schedule = Schedule::cosine, o.minutes = 5; }), "");
  EXPECT_EQ(message([](TrainOptions& o) { o.schedule = Schedule::linear, o.steps = 4000; }),
            "--warmup-steps is 4000, expected less than the 4000 steps of --schedule linear");
  EXPECT_EQ(message([](TrainOptions& o) {
              o.schedule = Schedule::linear, o.steps = 100, o.warmup_steps = 0,
              o.final_fraction = 0.1;
            }),
            "");
}

}  // namespace
}  // namespace heed
