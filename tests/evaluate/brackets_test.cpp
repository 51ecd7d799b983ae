#include "heed/evaluate/brackets.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/core/error.h"
#include "heed/evaluate/significance.h"
#include "support/facts.h"

namespace heed {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr char kCat[] = "(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sits)) (. .)))";

BracketStatistics compared(const std::string& hypothesis, const std::string& reference) {
  return compare_trees(hypothesis, reference).statistics;
}

std::string problem_of(const std::string& hypothesis, const std::string& reference) {
  return compare_trees(hypothesis, reference).problem;
}

// The rows of both summaries, as EVALB prints them.
std::vector<std::string> evalb_summary(const BracketScore& score) {
  std::vector<std::string> values;
  const BracketStatistics& sum = score.statistics;
  for (const int64_t count : {sum.sentences, sum.errors, sum.skipped, sum.valid()}) {
    values.push_back(fmt::to_string(count));
  }
  for (const double value :
       {score.recall, score.precision, score.f1, score.complete_match, score.average_crossing,
        score.no_crossing, score.two_or_less_crossing, score.tagging_accuracy}) {
    values.push_back(fmt::format("{:.2f}", value));
  }
  return values;
}

// [status, length, matched, in the reference, in the hypothesis, crossing, words, correct tags]:
// EVALB's columns. Those of a sentence that does not count are not its counts.
void expect_sentence(const json& golden) {
  SCOPED_TRACE(golden.dump());
  const auto reference = golden[0].get<std::string>(), hypothesis = golden[1].get<std::string>();
  const BracketStatistics got = compared(hypothesis, reference);
  ASSERT_EQ(got.sentences, 1);
  ASSERT_EQ(got.errors, golden[2] == 1);
  ASSERT_EQ(got.skipped, golden[2] == 2);
  ASSERT_EQ(problem_of(hypothesis, reference).empty(), golden[2] == 0);
  const auto length = golden[3].get<int64_t>();
  ASSERT_EQ(compare_trees(hypothesis, reference, {length}).statistics.sentences, 1);
  ASSERT_EQ(compare_trees(hypothesis, reference, {length - 1}).statistics.sentences, 0);
  if (golden[2] != 0) return;
  const std::vector<int64_t> counts = {got.matched,  got.reference, got.hypothesis,
                                       got.crossing, got.words,     got.correct_tags};
  for (size_t i = 0; i < counts.size(); ++i)
    ASSERT_EQ(counts[i], golden[4 + i].get<int64_t>()) << i;
}

TEST(Brackets, EqualEvalb) {
  std::ifstream stream(HEED_TESTS "/evaluate/data/brackets.json");
  int sentences = 0;
  for (const json& corpus : json::parse(stream)) {
    Lines hypotheses, references;
    for (const json& golden : corpus["sentences"]) {
      expect_sentence(golden);
      if (HasFatalFailure()) return;
      references.push_back(golden[0]);
      hypotheses.push_back(golden[1]);
      ++sentences;
    }
    ASSERT_EQ(evalb_summary(brackets(hypotheses, {&references, 1})),
              corpus["all"].get<std::vector<std::string>>());
    ASSERT_EQ(evalb_summary(brackets(hypotheses, {&references, 1}, {40})),
              corpus["40"].get<std::vector<std::string>>());
  }
  EXPECT_EQ(sentences, 800);
}

TEST(Brackets, CountConstituentsAndTags) {
  const BracketStatistics same = compared(kCat, kCat);
  EXPECT_EQ(same.reference, 3);
  EXPECT_EQ(same.matched, 3);
  EXPECT_EQ(same.complete, 1);
  EXPECT_EQ(same.words, 3);
  EXPECT_EQ(same.correct_tags, 3);
  const BracketStatistics flat = compared("(TOP (S (DT the) (NP (NN cat) (VV sits)) (. .)))", kCat);
  EXPECT_EQ(flat.hypothesis, 2);
  EXPECT_EQ(flat.matched, 1);
  EXPECT_EQ(flat.crossing, 1);
  EXPECT_EQ(flat.correct_tags, 2);
  EXPECT_EQ(flat.complete, 0);
}

TEST(Brackets, CountEqualOnesAsOftenAsBothHaveThem) {
  const std::string once = "(NP (NN x))", twice = "(NP (NP (NN x)))",
                    four = "(NP (NP " + twice + "))";
  EXPECT_EQ(compared(four, twice).matched, 2);
  EXPECT_EQ(compared(once, four).matched, 1);
}

TEST(Brackets, TakeAdvpForPrt) {
  EXPECT_EQ(compared("(S (PRT (RB up)))", "(S (ADVP (RB up)))").matched, 2);
  EXPECT_EQ(compared("(S (ADVP-X (RB up)))", "(S (PRT=1 (RB up)))").matched, 2);
  EXPECT_EQ(compared("(S (ADJP (RB up)))", "(S (PRT (RB up)))").matched, 1);
}

TEST(Brackets, SayWhySentencesDoNotCount) {
  EXPECT_EQ(problem_of("(NN cat)", "(NN cat)"), "");
  EXPECT_EQ(problem_of("(S (NN cat) (. .))", "(S (NN cat))"), "");
  EXPECT_THAT(problem_of("(S (NN cat))", "(S (NN cat) (NN x))"), HasFacts("1 2 word reference"));
  EXPECT_THAT(problem_of("(S (DT a) (NN cat))", "(S (DT a) (NN cap))"), HasFacts("2 'cat' 'cap'"));
  EXPECT_THAT(problem_of("(S (NN cat)", "(S (NN cat))"), HasFacts("12 ')'"));
  EXPECT_THAT(problem_of("(S (NN cat))", "(S cat x)"), HasFacts("reference 8 'x'"));
  EXPECT_EQ(problem_of("", kCat), "no words");
  EXPECT_EQ(problem_of("(. .)", kCat), "no words");
  EXPECT_EQ(compared("the cat", kCat).skipped, 1);
  EXPECT_THAT(problem_of("the cat", kCat), HasFacts("1 'the'"));
}

TEST(Brackets, OfNothingAreZero) {
  const std::vector<Lines> references = {{"(NN cat)"}};
  const BracketScore score = brackets({"(NN dog)"}, references);
  EXPECT_EQ(score.line(),
            "bracket F1 = 0.00 (recall = 0.00 precision = 0.00 complete_match = 0.00 "
            "average_crossing = 0.00 no_crossing = 0.00 two_or_less_crossing = 0.00 "
            "tagging_accuracy = 0.00 sentences = 1 errors = 1 skipped = 0)");
}

// Recursion would overflow the stack, and pairs of brackets would take hours.
TEST(Brackets, ADeepTreeIsComparedQuickly) {
  std::string left, right;
  constexpr int kWords = 100'000;
  for (int i = 0; i < kWords; ++i) left += "(L ";
  for (int i = 0; i < kWords; ++i) left += "(NN x))";
  for (int i = 0; i < kWords; ++i) right += "(R (NN x)";
  right += std::string(kWords, ')');
  const BracketStatistics statistics = compared(left, right);
  EXPECT_EQ(statistics.errors, 0);
  EXPECT_EQ(statistics.words, kWords);
  EXPECT_EQ(statistics.matched, 0);
  EXPECT_EQ(statistics.crossing, kWords - 2);
}

TEST(Brackets, ReportAsMetric) {
  const std::vector<Lines> references = {{kCat, kCat}};
  const MetricScore metric =
      brackets({kCat, "(TOP (S (NP (DT the) (NN cat) (VBZ sits))))"}, references, {9}).metric();
  EXPECT_EQ(metric.name, "bracket F1");
  EXPECT_NEAR(metric.score, 100 * 8.0 / 11, 1e-9);
  EXPECT_THAT(metric.line, HasSubstr("bracket F1 = 72.73 (recall = 66.67 precision = 80.00"));
  EXPECT_EQ(metric.signature, "nrefs:1|case:mixed|prm:collins|len:9|version:heed-0.1.0");
  EXPECT_THAT(metric.details, ::testing::Contains(::testing::Pair("sentences", 2)));
}

TEST(Brackets, AreTestedBetweenSystems) {
  const Lines references(20, kCat);
  const std::vector<Lines> systems = {references, Lines(20, "(S (DT the) (NN cat) (VBZ sits))")};
  const auto measured = bracket_system_statistics(systems, {&references, 1});
  EXPECT_EQ(measured->corpus(0).score, 100);
  EXPECT_EQ(measured->sentence(1, 0).score, 50);
  const auto results = paired_test(*measured, {PairedTest::randomization, 100, 1});
  EXPECT_LT(*results[1].p_value, 0.05);
}

TEST(Brackets, RefuseSeveralReferences) {
  const std::vector<Lines> two = {{kCat}, {kCat}}, longer = {{kCat, kCat}};
  EXPECT_THAT([&] { brackets({kCat}, two); }, ThrowsMessage<UsageError>(HasFacts("2 one")));
  EXPECT_THROW(brackets({kCat}, longer), Error);
}

}  // namespace
}  // namespace heed
