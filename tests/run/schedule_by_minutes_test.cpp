// Schedules that end with --minutes: their end is estimated once, and stays.
#include "heed/run/run_limits.h"
#include "run/edited_state.h"
#include "run/trainer_fixture.h"
#include "support/bytes.h"
#include "support/facts.h"

namespace heed {
namespace {

// A cosine or linear schedule ends with the steps that --minutes allows, estimated once: from then
// on the run is that of so many --steps, to the byte.
TEST_F(TrainerTest, AScheduleByMinutesIsEstimatedOnceAndResumed) {
  for (const Schedule schedule : {Schedule::cosine, Schedule::linear}) {
    TrainOptions o = options(schedule == Schedule::cosine ? "cosine" : "linear");
    o.schedule = schedule;
    o.warmup_steps = kStepsToEstimate;  // until then the schedules have no end
    o.learning_rate = 0.01;
    o.epochs.reset();
    o.minutes = 1000;
    Recorder stopped(kStepsToEstimate);
    EXPECT_EQ(train(o, *backend_, stopped).end, TrainEnd::stopped);
    EXPECT_THAT(stopped.messages, ::testing::Contains(HasFacts("--minutes 1000 allows step 100")));

    const std::string name =
        std::filesystem::path(o.model).filename() / "training/state.safetensors";
    const std::string state = without_checksum(folder_.read(name));
    folder_.write(name,
                  with_header(with_header(state, R"("decay_steps": \d+)", R"("decay_steps": 108)"),
                              R"("decay_steps":\d+)", R"("decay_steps":108)"));
    o.resume = true;
    o.minutes = 1e-9;  // no limit any more
    Recorder rest;
    const TrainResult result = train(o, *backend_, rest);
    EXPECT_EQ(result.end, TrainEnd::limit_reached);
    EXPECT_EQ(result.progress.step, 108);
    EXPECT_THAT(rest.messages, ::testing::Contains(HasFacts("resuming ends at step 108")));
    EXPECT_EQ(rest.reports.back().fraction_done, 1);

    TrainOptions known = o;
    known.model = (folder_ / "known").string();
    known.resume = false;
    known.overwrite = true;
    known.minutes.reset();
    known.steps = 108;
    EXPECT_EQ(message(known), "");
    EXPECT_TRUE(folder_.read("known/model.safetensors") ==
                read_file(std::filesystem::path(o.model) / "model.safetensors"));

    Recorder again;
    train(o, *backend_, again);
    EXPECT_THAT(again.messages, ::testing::Contains(HasFacts("complete step 108 --decay-steps 108 "
                                                             "--steps")));
    o.decay_steps = 107;
    EXPECT_THAT(message(o), HasFacts("decay_steps was 108, is now 107"));
    o.decay_steps = 108;
    o.minutes.reset();
    o.steps = 110;
    EXPECT_EQ(train(o, *backend_, rest).progress.step, 110);
    EXPECT_EQ(rest.reports.back().learning_rate, 0);
  }
}

// Before the estimate nothing is stored: the time is the limit, and the steps are timed anew.
TEST_F(TrainerTest, AScheduleByMinutesMayEndBeforeItsEstimate) {
  TrainOptions o = options("m");
  o.schedule = Schedule::cosine;
  o.warmup_steps = 2;
  o.learning_rate = 0.01;
  o.epochs.reset();
  o.minutes = 1e-9;
  Recorder brief;
  EXPECT_EQ(train(o, *backend_, brief).progress.step, 1);
  o.resume = true;
  o.minutes = 1000;
  Recorder early(9);
  EXPECT_EQ(train(o, *backend_, early).progress.step, 10);
  EXPECT_EQ(early.reports.back().learning_rate, 0.01) << "the peak";
  EXPECT_FALSE(early.reports.back().fraction_done > 0.5);
  Recorder more(kStepsToEstimate);
  EXPECT_EQ(train(o, *backend_, more).progress.step, 10 + kStepsToEstimate);
  EXPECT_THAT(more.messages, ::testing::Contains(HasFacts("--minutes 1000 allows step 110")));
}

TEST(StepsWithinTest, AtLeastTheStepsDone) {
  Progress p;
  p.step = 100;
  p.seconds = 30;
  EXPECT_EQ(steps_within(1, p, 100, 10), 400);  // 30 s are left, of 0.1 s a step
  EXPECT_EQ(steps_within(1, p, 50, 10), 250);
  EXPECT_EQ(steps_within(0.5, p, 100, 10), 100);
  EXPECT_EQ(steps_within(0.1, p, 100, 10), 100);
  EXPECT_EQ(steps_within(1e6, p, 100, 0), int64_t(kMaxSteps));
}

}  // namespace
}  // namespace heed
