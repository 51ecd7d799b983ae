#include "heed/evaluate/labels.h"

#include <gmock/gmock.h>

#include "evaluate/label_goldens.h"
#include "heed/core/error.h"
#include "heed/evaluate/significance.h"
#include "support/facts.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::ThrowsMessage;

const std::vector<Lines> kTags = {{"DT NN VB", "NN", ""}};
const Lines kGuesses = {"DT NN NN", "JJ", ""};

TEST(Labels, EqualScikitLearn) {
  int corpora = 0;
  for (const nlohmann::json& golden : label_goldens("labels")) {
    SCOPED_TRACE(golden.dump());
    const auto hypotheses = golden["hypothesis"].get<Lines>();
    const std::vector<Lines> references = {golden["reference"].get<Lines>()};
    const ClassReport report = label_report(hypotheses, references);
    expect_report(report, golden);
    expect_value(accuracy_metric(report).score, golden["accuracy"].get<double>());
    const ConfusionTable table = confusion_table(hypotheses, references);
    int64_t cells = 0;
    for (const std::string& reference : table.labels()) {
      for (const std::string& hypothesis : table.labels()) {
        cells += table.count(reference, hypothesis) > 0;
      }
    }
    ASSERT_EQ(cells, int64_t(golden["confusion"].size()));
    for (const nlohmann::json& cell : golden["confusion"]) {
      ASSERT_EQ(table.count(cell[0].get<std::string>(), cell[1].get<std::string>()),
                cell[2].get<int64_t>());
    }
    if (HasFatalFailure()) return;
    ++corpora;
  }
  EXPECT_EQ(corpora, 150);
}

TEST(Labels, AreReportedAsMetrics) {
  const ClassReport report = label_report(kGuesses, kTags);
  const MetricScore accuracy = accuracy_metric(report), f1 = label_f1_metric(report);
  EXPECT_EQ(accuracy.name, "accuracy");
  EXPECT_EQ(accuracy.line, "accuracy = 50.00 (labels = 4)");
  EXPECT_EQ(accuracy.signature, "nrefs:1|case:mixed|unit:label|version:heed-0.1.0");
  EXPECT_EQ(f1.name, "macro F1");
  EXPECT_EQ(f1.score, 37.5);
  EXPECT_EQ(f1.line,
            "macro F1 = 37.50 (precision = 37.50 recall = 37.50 weighted_precision = 50.00 "
            "weighted_recall = 50.00 weighted_f1 = 50.00 classes = 4)");
  EXPECT_EQ(f1.signature, "nrefs:1|case:mixed|unit:label|average:macro|version:heed-0.1.0");
  ASSERT_EQ(f1.classes.size(), 4u);
  EXPECT_EQ(f1.classes[1].name, "JJ");
  EXPECT_EQ(f1.classes[1].support, 0);
  EXPECT_EQ(f1.classes[2].f1, 50);
}

TEST(Labels, OfNothingAreZero) {
  const std::vector<Lines> references = {{""}};
  const ClassReport report = label_report({" "}, references);
  EXPECT_TRUE(report.classes.empty());
  EXPECT_EQ(accuracy_metric(report).line, "accuracy = 0.00 (labels = 0)");
  EXPECT_EQ(label_f1_metric(report).score, 0);
}

TEST(Labels, HaveTheirConfusionsByFrequency) {
  ConfusionTable table;
  for (const auto& [reference, hypothesis] : std::vector<std::pair<std::string, std::string>>{
           {"a", "a"}, {"a", "a"}, {"b", "c"}, {"a", "b"}, {"b", "a"}, {"b", "c"}}) {
    table.add(reference, hypothesis);
  }
  EXPECT_THAT(table.labels(), ElementsAre("a", "b", "c"));
  const auto first = table.confusions(2);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].reference + first[0].hypothesis, "bc");
  EXPECT_EQ(first[0].count, 2);
  EXPECT_EQ(first[1].reference + first[1].hypothesis, "ab");
  EXPECT_EQ(table.confusions(9).size(), 3u);
  EXPECT_EQ(table.count("c", "b"), 0);
}

TEST(Labels, AreTestedBetweenSystems) {
  const Lines reference(20, "a b"), constant(20, "a a");
  const std::vector<Lines> systems = {reference, constant};
  for (const LabelMetric metric : {LabelMetric::accuracy, LabelMetric::f1}) {
    const auto measured = label_system_statistics(systems, {&reference, 1}, metric);
    EXPECT_EQ(measured->systems(), 2u);
    EXPECT_EQ(measured->sentences(), 20u);
    EXPECT_EQ(measured->corpus(0).score, 100);
    EXPECT_NEAR(measured->corpus(1).score, metric == LabelMetric::f1 ? 100.0 / 3 : 50, 1e-9);
    EXPECT_EQ(measured->sentence(0, 3).score, 100);
    EXPECT_LT(*paired_test(*measured, {PairedTest::randomization, 100, 1})[1].p_value, 0.05);
  }
  EXPECT_THROW(label_system_statistics({}, kTags, LabelMetric::f1), Error);
}

TEST(Labels, AreCountedQuicklyOnALongLine) {
  std::string line;
  for (int i = 0; i < 300'000; ++i) line += std::to_string(i) + " ";
  const std::vector<Lines> references = {{line}};
  EXPECT_EQ(label_report({line}, references).micro.support, 300'000);
}

TEST(Labels, NameTheLineThatDiffers) {
  EXPECT_THAT(
      [] {
        label_report({"DT NN VB", "NN NN", ""}, kTags);
      },
      ThrowsMessage<Error>(HasFacts("2 2 1 reference")));
  const std::vector<Lines> systems = {kGuesses, {"DT NN", "JJ", ""}};
  EXPECT_THAT([&] { label_statistics(systems, kTags); },
              ThrowsMessage<Error>(HasFacts("line 1 system 2 3")));
  EXPECT_THROW(label_report({"a"}, kTags), Error);
  const std::vector<Lines> two = {kTags[0], kTags[0]};
  EXPECT_THAT([&] { label_report(kGuesses, two); },
              ThrowsMessage<UsageError>(HasFacts("one reference 2")));
}

}  // namespace
}  // namespace heed
