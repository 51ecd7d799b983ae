#include "heed/run/run_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace heed {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TrainOptions least_options() {
  TrainOptions options;
  options.source = options.target = {"a"};
  options.model = "m";
  return options;
}

// The UsageError of options after this change; empty if there is none.
std::string refusal_of(const std::function<void(TrainOptions&)>& change) {
  TrainOptions options = least_options();
  change(options);
  try {
    resolve(options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

// A run takes the value that --help names for an option that is not set.
TEST(RunSettings, DefaultsAreThoseOfTheHelp) {
  for (const auto& [name, schedule] : enum_names(Schedule{})) {
    TrainOptions unset = least_options();
    unset.schedule = schedule;
    unset.optimizer = Optimizer::adamw;
    RunSettings settings = resolve(unset);
    settings.options.epochs = settings.limits.epochs;
    const Options before = options_of(unset), after = options_of(settings.options);
    int count = 0;
    for (size_t i = 0; i < before.size(); ++i) {
      if (!before[i].read().empty() || after[i].read().empty()) continue;
      ++count;
      EXPECT_THAT(before[i].info.default_text,
                  AnyOf(StartsWith("by preset"), HasSubstr(after[i].read()[0])))
          << before[i].name << ", " << name;
    }
    EXPECT_GE(count, 13);
  }
}

TEST(RunSettings, AScheduleThatEndsTakesItsEndFromTheSteps) {
  TrainOptions options = least_options();
  options.warmup_steps = 100;
  const auto end = [&] {
    const RunSettings settings = resolve(options);
    EXPECT_FALSE(settings.awaits_decay_steps());
    EXPECT_EQ(settings.options.decay_steps, settings.schedule.decay_steps);
    return settings.schedule.decay_steps;
  };
  options.steps = 500;
  EXPECT_FALSE(end().has_value());
  options.schedule = Schedule::cosine;
  EXPECT_EQ(end(), 500);
  options.epochs = 3;
  EXPECT_EQ(end(), 500);
  options.decay_steps = 300;
  EXPECT_EQ(end(), 300);
}

TEST(RunSettings, AScheduleThatEndsTakesItsEndFromTheEpochs) {
  TrainOptions options = least_options();
  options.schedule = Schedule::linear;
  const auto end = [&](double epoch_steps) {
    RunSettings settings = resolve(options);
    EXPECT_TRUE(settings.awaits_decay_steps());
    settings.set_total_steps(double(*settings.limits.epochs) * epoch_steps);
    EXPECT_EQ(settings.options.decay_steps, settings.schedule.decay_steps);
    return settings.schedule.decay_steps;
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

TEST(RunSettings, ValidationBatchesAreNoLargerThanAShard) {
  TrainOptions o = least_options();
  const auto tokens = [&] { return resolve(o).validation.batch_tokens; };
  o.batches.batch_tokens = 4096;
  o.shards = 4;
  EXPECT_EQ(tokens(), 1024);
  o.batches.batch_sentences = 32;  // the tokens above are not those of its steps
  EXPECT_EQ(tokens(), 128);
  o.batches.batch_sentences = 1;
  EXPECT_EQ(tokens(), 64);
  o.batches.batch_sentences = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(tokens(), 2048);
}

TEST(RunSettings, ContradictionsAreNamed) {
  EXPECT_EQ(refusal_of([](TrainOptions&) {}), "");
  EXPECT_EQ(refusal_of([](TrainOptions& o) { o.target.push_back("b"); }),
            "--source names 1 file and --target 2: they go together one by one");
  EXPECT_NE(refusal_of([](TrainOptions& o) { o.valid_source = "v"; }), "");
  EXPECT_NE(refusal_of([](TrainOptions& o) { o.patience = 3; }), "");
  for (const char* average : {"mean:3", "last", "last:0", "last:1001", "last:5 ", "best:2"})
    EXPECT_THAT(refusal_of([&](TrainOptions& o) { o.average = average; }), HasSubstr(average));
  EXPECT_EQ(refusal_of([](TrainOptions& o) { o.average = "last:5"; }), "");
  EXPECT_NE(refusal_of([](TrainOptions& o) { o.shards = 3; }), "");
  EXPECT_NE(refusal_of([](TrainOptions& o) { o.shards = 0; }), "");
  EXPECT_EQ(refusal_of([](TrainOptions& o) {
              o.finetune_from = "d";
              o.initialization = InitialWeights::fan_in;
            }),
            "--finetune-from brings its own weights: it contradicts --initialization");
  EXPECT_NE(refusal_of([](TrainOptions& o) { o.resume = o.overwrite = true; }), "");
  EXPECT_NE(refusal_of([](TrainOptions& o) { o.vocabularies = Vocabularies::separate; }), "");
  EXPECT_NE(refusal_of([](TrainOptions& o) { o.warmup_steps = 0; }), "");
  EXPECT_EQ(refusal_of([](TrainOptions& o) { o.weight_decay = 0.1; }),
            "--weight-decay works with --optimizer adamw only");
  EXPECT_EQ(refusal_of([](TrainOptions& o) { o.decay_steps = 10; }),
            "--decay-steps works with --schedule linear and cosine, not noam");
  EXPECT_EQ(refusal_of([](TrainOptions& o) { o.final_fraction = 0; }),
            "--final-fraction works with --schedule linear and cosine, not noam");
  EXPECT_EQ(refusal_of([](TrainOptions& o) { o.schedule = Schedule::cosine; }), "");
  EXPECT_EQ(refusal_of([](TrainOptions& o) { o.schedule = Schedule::cosine, o.minutes = 5; }), "");
  EXPECT_EQ(refusal_of([](TrainOptions& o) { o.schedule = Schedule::linear, o.steps = 4000; }),
            "--warmup-steps is 4000, expected less than the 4000 steps of --schedule linear");
  EXPECT_EQ(refusal_of([](TrainOptions& o) {
              o.schedule = Schedule::linear, o.steps = 100, o.warmup_steps = 0,
              o.final_fraction = 0.1;
            }),
            "");
}

}  // namespace
}  // namespace heed
