#include "heed/evaluate/significance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/golden.h"
#include "heed/core/error.h"
#include "support/facts.h"

namespace heed {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::unique_ptr<SystemStatistics> measure(const std::string& metric,
                                          const std::vector<Lines>& systems,
                                          const std::vector<Lines>& references) {
  if (metric == "BLEU") return bleu_system_statistics(systems, references);
  if (metric == "chrF2") return chrf_system_statistics(systems, references);
  return ter_system_statistics(systems, references);
}

// sacreBLEU sums drawn statistics in single precision, so means agree to its digits alone.
void expect_results(const std::vector<PairedResult>& got, const nlohmann::json& golden) {
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].p_value.has_value(), i > 0);
    if (i > 0) {
      ASSERT_DOUBLE_EQ(*got[i].p_value, golden["p"][i].get<double>());
    }
    ASSERT_EQ(got[i].interval.has_value(), !golden["mean"][i].is_null());
    if (!got[i].interval) continue;
    ASSERT_NEAR(got[i].interval->mean, golden["mean"][i].get<double>(), 1e-4);
    ASSERT_NEAR(got[i].interval->half_width, golden["ci"][i].get<double>(), 1e-4);
  }
}

TEST(Significance, PairedTestsEqualSacrebleus) {
  std::ifstream stream(HEED_TESTS "/evaluate/data/significance.json");
  int tests = 0;
  for (const nlohmann::json& corpus : nlohmann::json::parse(stream)) {
    const auto systems = corpus["systems"].get<std::vector<Lines>>();
    const auto references = corpus["references"].get<std::vector<Lines>>();
    for (const nlohmann::json& golden : corpus["tests"]) {
      SCOPED_TRACE(corpus["references"].dump() + golden.dump());
      PairedTestOptions options;
      options.test = golden["test"] == "bs" ? PairedTest::bootstrap : PairedTest::randomization;
      options.trials = 200;
      const auto measured = measure(golden["metric"].get<std::string>(), systems, references);
      expect_results(paired_test(*measured, options), golden);
      if (HasFatalFailure()) return;
      ASSERT_EQ(without_version(paired_signature(measured->corpus(0).signature, options)),
                without_version(golden["signature"].get<std::string>()));
      ++tests;
    }
  }
  EXPECT_EQ(tests, 360);
}

TEST(Significance, TheSeedDecides) {
  const std::vector<Lines> references = {{"a b c", "d e f", "g h i", "k l m", "n o p"}};
  const std::vector<Lines> systems = {{"a b c", "d e x", "g h i", "k l m", "n x p"},
                                      {"a b x", "d x f", "g h i", "k x m", "n o p"}};
  const auto measured = chrf_system_statistics(systems, references);
  const auto mean = [&](uint64_t seed) {
    return paired_test(*measured, {PairedTest::bootstrap, 50, seed})[1].interval->mean;
  };
  EXPECT_EQ(mean(1), mean(1));
  EXPECT_NE(mean(1), mean(2));
}

TEST(Significance, IntervalsWithoutATestAreThoseOfOne) {
  const std::vector<Lines> references = {{"a b c", "d e f", "g h i", "k l m", "n o p"}};
  const std::vector<Lines> systems = {{"a b c", "d e x", "g h i", "k l m", "n x p"},
                                      {"a b x", "d x f", "g h i", "k x m", "n o p"}};
  const PairedTestOptions options{PairedTest::bootstrap, 50, 3};
  const auto both = chrf_system_statistics(systems, references);
  const std::vector<PairedResult> tested = paired_test(*both, options);
  const std::vector<Interval> intervals = bootstrap_intervals(*both, options);
  ASSERT_EQ(intervals.size(), 2u);
  for (size_t system = 0; system < 2; ++system) {
    EXPECT_EQ(intervals[system].mean, tested[system].interval->mean);
    EXPECT_EQ(intervals[system].half_width, tested[system].interval->half_width);
    const auto alone = chrf_system_statistics(std::span(&systems[system], 1), references);
    EXPECT_EQ(bootstrap_intervals(*alone, options)[0].mean, intervals[system].mean);
  }
  EXPECT_THROW(bootstrap_intervals(*both, {PairedTest::bootstrap, 0, 3}), UsageError);
}

TEST(Significance, RefusesWhatItCannotCompare) {
  const std::vector<Lines> one = {{"a"}};
  EXPECT_THAT([&] { paired_test(*ter_system_statistics(one, one)); },
              ThrowsMessage<UsageError>(HasFacts("2 1")));
  const std::vector<Lines> two = {{"a"}, {"b"}};
  EXPECT_THAT(
      [&] {
        paired_test(*ter_system_statistics(two, one), {PairedTest::bootstrap, 0, 1});
      },
      ThrowsMessage<UsageError>(HasFacts("1 0")));
  EXPECT_THAT([&] { ter_system_statistics({}, one); }, ThrowsMessage<Error>(HasFacts("system")));
}

TEST(SystemStatistics, ScoresAnyChoiceOfSentences) {
  const std::vector<Lines> references = {{"a b c d", "e f g h"}};
  const std::vector<Lines> systems = {{"a b c d", "x x x x"}, {"y y y y", "e f g h"}};
  const auto measured = ter_system_statistics(systems, references);
  EXPECT_EQ(measured->systems(), 2u);
  EXPECT_EQ(measured->sentences(), 2u);
  EXPECT_EQ(measured->corpus(1).line, "TER = 50.00");
  EXPECT_EQ(measured->sentence(1, 0).line, "TER = 100.00");
  const std::vector<uint32_t> best = {measured->row(0, 0), measured->row(1, 1)};
  EXPECT_EQ(measured->score(best).line, "TER = 0.00");
}

}  // namespace
}  // namespace heed
