#include "heed/evaluate/chrf.h"

#include <gtest/gtest.h>

#include "evaluate/golden.h"
#include "heed/core/error.h"

namespace heed {
namespace {

TEST(Chrf, EqualsSacrebleuOnOddText) {
  expect_goldens("chrf.json", 2100,
                 [](const Lines& hypotheses, const std::vector<Lines>& references,
                    const nlohmann::json& golden) {
                   const ChrfOptions options{golden["word_order"].get<int>(),
                                             golden.value("lowercase", false)};
                   return chrf(hypotheses, references, options);
                 });
}

TEST(Chrf, TheBestReferenceOfEachSentenceCounts) {
  const std::vector<Lines> references = {{"abcdef", "zzzzzz"}, {"zzzzzz", "ghijkl"}};
  EXPECT_EQ(chrf({"abcdef", "ghijkl"}, references).line(), "chrF2 = 100.00");
  const std::vector<ChrfStatistics> sentences = chrf_statistics({"abcdef", "ghijkl"}, references);
  ChrfStatistics sum = sentences[0];
  sum += sentences[1];
  EXPECT_EQ(sum.orders[0].matches, 12);
  EXPECT_EQ(sum.orders[5].reference, 2);
}

TEST(Chrf, ReportsAsMetric) {
  const MetricScore metric = chrf({"a b"}, std::vector<Lines>{{"a b"}}, {2, true}).metric();
  EXPECT_EQ(metric.name, "chrF2++");
  EXPECT_NEAR(metric.score, 100, 1e-9);
  EXPECT_EQ(metric.signature, "nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no|version:heed-0.1.0");
}

TEST(Chrf, RefusesWhatItCannotScore) {
  EXPECT_THROW(chrf({"a"}, std::vector<Lines>{{"a", "b"}}), Error);
  EXPECT_THROW(chrf({"a"}, std::vector<Lines>{{"a"}}, {3}), UsageError);
}

}  // namespace
}  // namespace heed
