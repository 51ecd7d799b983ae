#include "heed/evaluate/spans.h"

#include <gmock/gmock.h>

#include "evaluate/label_goldens.h"
#include "heed/core/error.h"
#include "heed/evaluate/significance.h"
#include "support/facts.h"

namespace heed {
namespace {

using ::testing::ThrowsMessage;

// "PER 0-2, LOC 3-4"
std::string spans_in(const std::string& line, SpanScheme scheme) {
  std::string text;
  for (const LabelledSpan& span : spans_of(detail::labels_of(line), scheme)) {
    text += fmt::format("{}{} {}-{}", text.empty() ? "" : ", ", span.type, span.begin, span.end);
  }
  return text;
}

void expect_spans(const nlohmann::json& golden, SpanScheme scheme, const std::string& name) {
  const std::vector<Lines> references = {golden["reference"].get<Lines>()};
  const ClassReport report = span_report(golden["hypothesis"].get<Lines>(), references, {scheme});
  expect_report(report, golden[name]);
  expect_class(report.micro, golden[name]["micro"]);
}

TEST(Spans, EqualSeqeval) {
  int usual = 0, strict = 0;
  for (const nlohmann::json& golden : label_goldens("spans")) {
    SCOPED_TRACE(golden.dump());
    expect_spans(golden, SpanScheme::conlleval, "conlleval");
    ++usual;
    if (golden.contains("iob2")) {
      expect_spans(golden, SpanScheme::iob2, "iob2");
      ++strict;
    }
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(usual, 250);
  EXPECT_GE(strict, 100);
}

TEST(Spans, AreReadByTheirScheme) {
  const auto usual = [](const std::string& line) { return spans_in(line, SpanScheme::conlleval); };
  const auto strict = [](const std::string& line) { return spans_in(line, SpanScheme::iob2); };
  EXPECT_EQ(usual("B-PER I-PER O B-LOC"), "PER 0-2, LOC 3-4");
  EXPECT_EQ(strict("B-PER I-PER O B-LOC"), "PER 0-2, LOC 3-4");
  EXPECT_EQ(usual("O I-PER I-PER I-LOC"), "PER 1-3, LOC 3-4");
  EXPECT_EQ(strict("O I-PER I-PER I-LOC"), "");
  EXPECT_EQ(usual("B-PER I-LOC I-PER"), "PER 0-1, LOC 1-2, PER 2-3");
  EXPECT_EQ(strict("B-PER I-LOC I-PER"), "PER 0-1");
  EXPECT_EQ(usual("B-A E-A S-A E-A"), "A 0-2, A 2-3, A 3-4");
  EXPECT_EQ(usual("B I-_ O I"), "_ 0-2, _ 3-4");
  EXPECT_EQ(usual("B-NP-X I-NP-X"), "NP-X 0-2");
  EXPECT_EQ(usual("B-A B-A"), "A 0-1, A 1-2");
  EXPECT_EQ(usual(""), "");
}

TEST(Spans, AreReportedAsMetric) {
  const std::vector<Lines> references = {{"B-PER I-PER O B-LOC", "O"}};
  const Lines hypothesis = {"B-PER I-PER O B-PER", "O"};
  const MetricScore metric = span_metric(span_report(hypothesis, references));
  EXPECT_EQ(metric.name, "span F1");
  EXPECT_EQ(metric.score, 50);
  EXPECT_EQ(metric.line,
            "span F1 = 50.00 (precision = 50.00 recall = 50.00 macro_f1 = 33.33 weighted_f1 = "
            "33.33 spans = 2)");
  EXPECT_EQ(metric.signature,
            "nrefs:1|case:mixed|unit:span|average:micro|scheme:conlleval|version:heed-0.1.0");
  EXPECT_EQ(metric.classes.size(), 2u);
}

TEST(Spans, OfNothingAreZero) {
  const std::vector<Lines> references = {{"O O"}};
  EXPECT_EQ(span_metric(span_report({"O O"}, references)).score, 0);
  EXPECT_EQ(span_report({"B-X O"}, references).weighted.f1, 0);
}

TEST(Spans, AreTestedBetweenSystems) {
  const Lines reference(20, "B-X I-X"), other(20, "B-X B-X");
  const std::vector<Lines> systems = {reference, other};
  const auto measured = span_system_statistics(systems, {&reference, 1});
  EXPECT_EQ(measured->corpus(0).score, 100);
  EXPECT_EQ(measured->corpus(1).score, 0);
  EXPECT_LT(*paired_test(*measured, {PairedTest::bootstrap, 100, 1})[1].p_value, 0.05);
  EXPECT_THROW(span_system_statistics({}, {&reference, 1}), Error);
}

TEST(Spans, RefuseOtherLabels) {
  const std::vector<Lines> references = {{"O", "O B-X"}};
  EXPECT_THAT(
      [&] {
        span_report({"O", "O NN"}, references);
      },
      ThrowsMessage<Error>(HasFacts("2 hypotheses 'NN' B-PER")));
  const std::vector<Lines> odd = {{"S-X"}};
  EXPECT_EQ(span_report({"S-X"}, odd).micro.f1, 100);
  EXPECT_THAT([&] { span_report({"O"}, odd, {SpanScheme::iob2}); },
              ThrowsMessage<Error>(HasFacts("1 reference 'S-X'")));
  for (const std::string label : {"BX", "O-X", "o", "b-X", "X-B", "-"}) {
    EXPECT_FALSE(is_span_label(label, SpanScheme::conlleval)) << label;
  }
}

}  // namespace
}  // namespace heed
