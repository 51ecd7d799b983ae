#include "heed/run/run_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/facts.h"

namespace heed {
namespace {

using ::testing::HasSubstr;

TEST(RunWarnings, TheFirstBoundThatIsKnownDecides) {
  RunLimits limits{.epochs = 20};
  RateSchedule schedule{.warmup_steps = 1000};
  const auto warning = [&](const RunPace& pace) { return warmup_warning(limits, schedule, pace); };
  EXPECT_TRUE(warning({.epoch_steps = 49}));
  EXPECT_FALSE(warning({.epoch_steps = 50}));
  limits = {.minutes = 2};
  EXPECT_FALSE(warning({.epoch_steps = 1})) << "nothing is known yet";
  // 30 steps took 6 s, and 114 s are left.
  const RunPace slow{.step = 30, .seconds = 6, .epoch_steps = 1, .step_seconds = 0.2};
  const auto text = warning(slow);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("about 600 steps"));
  EXPECT_THAT(*text, HasSubstr("--warmup-steps 200"));
  EXPECT_FALSE(warning({.step = 30, .epoch_steps = 1, .step_seconds = 0.1}));
  limits.steps = 100;
  EXPECT_THAT(warning({.epoch_steps = 1}).value_or(""),
              HasSubstr("--warmup-steps 33 --learning-rate"));
  schedule.warmup_steps = 0;
  EXPECT_FALSE(warning({.epoch_steps = 1}));
}

// A warm-up of 40 instead of 4000 steps would give ten times the peak: a fifth of it is twice.
TEST(RunWarnings, AShortWarmupComesWithASmallerRate) {
  RunLimits limits{.steps = 120};
  RateSchedule schedule{.warmup_steps = 4000};
  const auto warning = [&] {
    return warmup_warning(limits, schedule, {.epoch_steps = 1}).value_or("");
  };
  EXPECT_THAT(warning(), HasSubstr("--warmup-steps 40 --learning-rate 0.2 or a longer"));
  schedule.rate = 2;
  EXPECT_THAT(warning(), HasSubstr("--warmup-steps 40 --learning-rate 0.4 or"));
  schedule.warmup_steps = 130;
  EXPECT_THAT(warning(), ::testing::Not(HasSubstr("--learning-rate")));
  schedule.warmup_steps = 4000;
  schedule.schedule = Schedule::inverse_sqrt;
  EXPECT_THAT(warning(), ::testing::Not(HasSubstr("--learning-rate"))) << "its peak is given";
  limits.steps = 99;
  EXPECT_THAT(warning(), HasFacts("99 4000 longer run"));
  EXPECT_THAT(warning(), ::testing::Not(HasSubstr("--batch-tokens"))) << "the steps are given";
  EXPECT_THAT(warning(), ::testing::Not(HasFacts("--warmup-steps")))
      << "so few steps teach nothing";
}

TEST(RunWarnings, AModelTooLargeForItsTextNamesThePresetThatFits) {
  TrainOptions o;
  const auto warning = [&](int64_t tokens) {
    return size_warning(o, model_config(o, 8000, 7999), tokens).value_or("");
  };
  EXPECT_EQ(warning(5'000'000), "");
  EXPECT_THAT(warning(250'000), HasSubstr("--preset small"));
  EXPECT_THAT(warning(50'000), HasSubstr("--preset tiny"));
  EXPECT_THAT(warning(1'000), HasSubstr("--vocabulary-size"));
  o.preset = Preset::tiny;
  EXPECT_EQ(warning(50'000), "");
  EXPECT_THAT(warning(1'000), ::testing::AllOf(HasSubstr("--vocabulary-size"),
                                               ::testing::Not(HasSubstr("--preset"))));
  const ModelConfig config = model_config(o, 8000, 7999);
  o.finetune_from = "general";
  EXPECT_FALSE(size_warning(o, config, 1'000)) << "fine-tuning";
}

TEST(RunWarnings, APresetThatContradictsTheOptionsIsNotAdvised) {
  TrainOptions o;
  o.variants.key_value_heads = 8;  // small and tiny have four heads
  const auto warning = size_warning(o, model_config(o, 8000, 7999), 250'000);
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->find("--preset"), std::string::npos) << *warning;
}

TEST(RunWarnings, APreparationThatTakesHalfOfTheMinutesIsNamed) {
  RunLimits limits;
  EXPECT_FALSE(preparation_warning(limits, 1e6)) << "without --minutes";
  limits.minutes = 2;
  EXPECT_FALSE(preparation_warning(limits, 59));
  EXPECT_THAT(preparation_warning(limits, 61).value_or(""),
              HasFacts("61 120 --minutes --tokenizer-model"));
}

TEST(RunWarnings, AModelOfTokenFrequenciesHasCollapsedOrNotLearnedYet) {
  const RateSchedule schedule{.rate = 3, .warmup_steps = 400};
  LearningState learning{.step = 800, .loss = 5, .unigram_loss = 5.01, .state = RunState::ended};
  auto found = nothing_learned(schedule, learning);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->collapsed);
  EXPECT_THAT(found->text, HasFacts("800 148.4 149.9 --learning-rate 3 --warmup-steps 400"));
  learning.step = 799;
  found = nothing_learned(schedule, learning);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->collapsed);
  EXPECT_THAT(found->text, HasFacts("799 148.4 149.9"));
  learning.state = RunState::running;
  EXPECT_FALSE(nothing_learned(schedule, learning));
  learning.step = 800;
  EXPECT_TRUE(nothing_learned(schedule, learning));
  learning.loss = 4.8;
  EXPECT_FALSE(nothing_learned(schedule, learning));
}

}  // namespace
}  // namespace heed
