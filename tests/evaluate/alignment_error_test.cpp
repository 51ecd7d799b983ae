#include "heed/evaluate/alignment_error.h"

#include <gmock/gmock.h>

#include "heed/evaluate/metric_options.h"
#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

AlignmentErrorScore score_of(const Lines& hypotheses, const Lines& reference) {
  const Lines references[] = {reference};
  return alignment_score(detail::sum_of_sentences(alignment_statistics(hypotheses, references)));
}

// The example by hand: A = 3 links, S = 2 sure, P = 3; of A 1 is sure, 2 are possible.
TEST(AlignmentError, IsThatOfOchAndNey) {
  const AlignmentErrorScore score = score_of({"0-0 1-1 2-2"}, {"0-0 1p1 3-3"});
  EXPECT_DOUBLE_EQ(score.precision, 100 * 2.0 / 3);
  EXPECT_DOUBLE_EQ(score.recall, 50);
  EXPECT_DOUBLE_EQ(score.error, 100 * (1 - 3.0 / 5));
  EXPECT_THAT(score.line(), HasFacts("AER = 40.00 precision = 66.67 recall = 50.00 links = 3"));
}

TEST(AlignmentError, TheSameAlignmentHasNone) {
  EXPECT_EQ(score_of({"0-0 2-1", ""}, {"2-1 0-0 0-0", ""}).error, 0);
  EXPECT_EQ(score_of({"0-0", ""}, {"1-1", ""}).error, 100);
  EXPECT_EQ(score_of({"", ""}, {"", ""}).error, 0);
  EXPECT_EQ(score_of({""}, {"1-1"}).error, 100);
  EXPECT_EQ(score_of({"5-7"}, {"5?7"}).error, 0);
}

TEST(AlignmentError, OtherTextIsRefusedWithItsLine) {
  const auto message = [](const Lines& hypotheses, const Lines& reference) {
    return error_of([&] { score_of(hypotheses, reference); });
  };
  EXPECT_THAT(message({"0-0", "0-0 ab"}, {"", ""}), HasFacts("line 2 hypotheses 'ab' 2-1"));
  EXPECT_THAT(message({"0p0"}, {""}), HasFacts("line 1 hypotheses '0p0'"));
  EXPECT_THAT(message({""}, {"0-"}), HasFacts("line 1 reference '0-'"));
  EXPECT_THAT(message({""}, {"-1-2"}), HasFacts("'-1-2'"));
  EXPECT_THAT(message({""}, {"1-99999999999"}), HasFacts("'1-99999999999'"));
  EXPECT_THAT(message({"0-0"}, {"", ""}), HasFacts("2 lines 1"));
}

TEST(AlignmentError, IsAMetricOfEvaluate) {
  const Lines systems[] = {{"0-0", "1-1"}, {"0-0", "1-0"}}, references[] = {{"0-0", "1-1"}};
  MetricOptions options;
  options.metrics = {"aer"};
  const auto found = measure(systems, references, options);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]->corpus(0).score, 0);
  EXPECT_EQ(found[0]->corpus(1).score, 50);
  EXPECT_EQ(found[0]->sentence(1, 1).score, 100);
}

}  // namespace
}  // namespace heed
