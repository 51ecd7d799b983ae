#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "console/train_display.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TrainReport half_way() {
  TrainReport report;
  report.step = 1200;
  report.epoch = 1.5;
  report.loss = 2.3141;
  report.learning_rate = 7e-4;
  report.tokens_per_second = 12345;
  report.seconds = 90;
  report.seconds_left = 75;
  report.fraction_done = 0.5;
  return report;
}

TEST(ProgressTest, ClocksReadAsPeopleWriteThem) {
  EXPECT_EQ(clock_text(0), "0:00");
  EXPECT_EQ(clock_text(65.4), "1:05");
  EXPECT_EQ(clock_text(7389), "2:03:09");
  EXPECT_EQ(clock_text(-1), "0:00");
}

TEST(ProgressTest, TheBarFillsTheLineAndNoMore) {
  const std::string bar = progress_bar(half_way(), 120);
  EXPECT_THAT(bar, StartsWith("[####################--------------------]  50%"));
  EXPECT_THAT(bar, HasSubstr("step 1200  loss 2.314  12.3k tokens/s  rate 7.0e-04"));
  EXPECT_THAT(bar, HasSubstr("1:30, 1:15 left"));
  for (const size_t columns : {20u, 79u, 90u, 100u, 200u}) {
    EXPECT_LE(progress_bar(half_way(), columns).size(), columns);
  }
}

TEST(ProgressTest, ALogLineSaysTheSame) {
  EXPECT_EQ(progress_text(half_way()),
            "step 1200, epoch 1.50: loss 2.3141, 12345 tokens/s, learning rate 7.000e-04, 1:30, "
            "1:15 left");
  TrainReport start;
  EXPECT_THAT(progress_text(start), ::testing::Not(HasSubstr("left")));
}

TEST(ProgressTest, SlowStepsAreShownByTime) {
  Output out(1, "standard output");
  Console console(out);
  TrainOptions options;
  const auto shown = [&](const auto& show) {
    ::testing::internal::CaptureStderr();
    show();
    return !::testing::internal::GetCapturedStderr().empty();
  };
  options.validate_every = 1;
  TrainDisplay lines(options, console);
  std::string steps;
  TrainReport report = half_way();
  for (int64_t step = 1; step <= 30; ++step) {
    report.step = step;
    report.seconds = 2 * double(step);
    if (shown([&] { step == 9 ? lines.report(report) : lines.progress(report); }))
      steps += fmt::format("{} ", step);
  }
  EXPECT_EQ(steps, "2 9 19 29 ");  // after 3 s, the report, and 20 s after each line
  report.seconds += 1000;
  // The end of an epoch, which its validation tells.
  options.validate_every = 0;
  EXPECT_FALSE(shown([&] { lines.report(report); }));
  console.be_quiet(true);
  EXPECT_FALSE(shown([&] { TrainDisplay(options, console).progress(report); }));
}

TEST(ProgressTest, FullAndEmptyBarsKeepTheirWidth) {
  TrainReport report = half_way();
  report.fraction_done = 1;
  EXPECT_THAT(progress_bar(report, 140),
              StartsWith("[########################################] 100%"));
  report.fraction_done = 0;
  EXPECT_THAT(progress_bar(report, 140),
              StartsWith("[----------------------------------------]   0%"));
}

}  // namespace
}  // namespace heed
