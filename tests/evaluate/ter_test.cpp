#include "heed/evaluate/ter.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "evaluate/golden.h"
#include "heed/core/error.h"

namespace heed {
namespace {

TerScore score_of_golden(const Lines& hypotheses, const std::vector<Lines>& references,
                         const nlohmann::json& golden) {
  const TerOptions options{golden.value("normalized", false), golden.value("no_punct", false),
                           golden.value("asian_support", false),
                           golden.value("case_sensitive", false)};
  return ter(hypotheses, references, options);
}

TEST(Ter, EqualsSacrebleuOnOddText) {
  expect_goldens("ter.json", 5100, score_of_golden);
}

// Few words in many orders, up to 230 of them: shifts, their limits, and the beam of the distance.
TEST(Ter, EqualsSacrebleuOnShuffledText) {
  expect_goldens("ter_shifts.json", 120, score_of_golden);
}

TEST(Ter, AShiftIsOneEdit) {
  const std::vector<Lines> references = {{"a b c d e f"}};
  const TerStatistics statistics = ter_statistics({"d e f a b c"}, references)[0];
  EXPECT_EQ(statistics.edits, 1);
  EXPECT_EQ(statistics.reference_length, 6);
  EXPECT_EQ(ter({"a x c d e"}, references).line(), "TER = 33.33");
  EXPECT_EQ(ter({""}, references).line(), "TER = 100.00");
  EXPECT_EQ(ter({"x"}, std::vector<Lines>{{""}}).line(), "TER = 100.00");
  EXPECT_EQ(ter({""}, std::vector<Lines>{{""}}).line(), "TER = 0.00");
}

// One of ten words is one edit; of eleven, sacreBLEU takes two.
TEST(Ter, AShiftHasTenWordsAtMost) {
  const auto edits = [](int moved) {
    std::string first, second;
    for (int i = 0; i < moved; ++i) first += fmt::format(" a{}", i);
    for (int i = 0; i < 30; ++i) second += fmt::format(" b{}", i);
    return ter_statistics({second + first}, std::vector<Lines>{{first + second}})[0].edits;
  };
  EXPECT_EQ(edits(10), 1);
  EXPECT_EQ(edits(11), 2);
}

TEST(Ter, TakesTheNearestReferenceAndTheMeanLength) {
  const std::vector<Lines> references = {{"x y"}, {"a b c"}};
  const TerStatistics statistics = ter_statistics({"a b c"}, references)[0];
  EXPECT_EQ(statistics.edits, 0);
  EXPECT_EQ(statistics.reference_length, 2.5);
}

TEST(Ter, ReportsAsMetric) {
  const MetricScore metric =
      ter({"a b"}, std::vector<Lines>{{"a c"}}, {.no_punctuation = true}).metric();
  EXPECT_EQ(metric.name, "TER");
  EXPECT_EQ(metric.score, 50);
  EXPECT_EQ(metric.line, "TER = 50.00");
  EXPECT_EQ(metric.signature,
            "nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:heed-0.1.0");
}

// Whole rows of the matrix would take 40 GB, and every shift minutes.
TEST(Ter, ALongLineIsReadQuickly) {
  std::vector<std::string> words;
  for (int i = 0; i < 100'000; ++i) words.push_back(fmt::format("w{}", i));
  const std::vector<Lines> references = {{fmt::format("{}", fmt::join(words, " "))}};
  std::swap(words[10], words[12]);
  words[500] = "x";
  EXPECT_EQ(ter_statistics({fmt::format("{}", fmt::join(words, " "))}, references)[0].edits, 3);
}

TEST(Ter, RefusesWhatItCannotScore) {
  EXPECT_THROW(ter({"a"}, std::vector<Lines>{{"a", "b"}}), Error);
}

}  // namespace
}  // namespace heed
