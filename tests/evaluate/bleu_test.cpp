#include "heed/evaluate/bleu.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/golden.h"
#include "heed/core/error.h"
#include "heed/core/options.h"
#include "support/facts.h"

namespace heed {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Enum>
Enum named(const std::string& name) {
  Enum value{};
  EXPECT_TRUE(from_text(name, {}, value)) << name;
  return value;
}

// sacreBLEU's options of a golden as ours.
BleuOptions options_of_golden(const nlohmann::json& golden) {
  BleuOptions options{named<BleuTokenizer>(golden.value("tokenize", "13a")),
                      golden.value("lowercase", false)};
  options.smoothing = named<BleuSmoothing>(golden.value("smooth_method", "exp"));
  if (golden.contains("smooth_value") && !golden["smooth_value"].is_null()) {
    options.smoothing_value = golden["smooth_value"].get<double>();
  }
  options.effective_order = golden.value("effective_order", false);
  return options;
}

TEST(Bleu, EqualsSacrebleuOnOddText) {
  expect_goldens("bleu.json", 6300,
                 [](const Lines& hypotheses, const std::vector<Lines>& references,
                    const nlohmann::json& golden) {
                   return bleu(hypotheses, references, options_of_golden(golden));
                 });
}

TEST(Bleu, RefusesASmoothingValueThatSaysNothing) {
  const std::vector<Lines> references = {{"a b c d e"}};
  const auto score = [&](BleuSmoothing smoothing, double value) {
    BleuOptions options;
    options.smoothing = smoothing;
    options.smoothing_value = value;
    return bleu({"a b c d e"}, references, options);
  };
  EXPECT_THAT([&] { score(BleuSmoothing::exponential, 0.1); },
              ThrowsMessage<UsageError>(HasFacts("smoothing exp value 0.1")));
  EXPECT_THAT([&] { score(BleuSmoothing::none, 1); }, ::testing::Throws<UsageError>());
  EXPECT_THAT([&] { score(BleuSmoothing::floor, -1); },
              ThrowsMessage<UsageError>(HasFacts("number 0")));
  EXPECT_NO_THROW(score(BleuSmoothing::add_k, 0));
}

TEST(Bleu, TheSumOfSentencesIsTheCorpus) {
  const Lines hypotheses = {"the cat sat on the mat", "a dog", ""};
  const std::vector<Lines> references = {{"the cat is on the mat", "a dog barks", "nothing"}};
  const std::vector<BleuStatistics> sentences = bleu_statistics(hypotheses, references);
  ASSERT_EQ(sentences.size(), 3u);
  EXPECT_EQ(sentences[0].matches, (std::array<int64_t, 4>{5, 3, 1, 0}));
  EXPECT_EQ(sentences[1].totals, (std::array<int64_t, 4>{2, 1, 0, 0}));
  BleuStatistics sum;
  for (const BleuStatistics& sentence : sentences) sum += sentence;
  EXPECT_EQ(bleu_score(sum, 1).line(), bleu(hypotheses, references).line());
  // A corpus of the first two alone, without reading them again.
  const BleuScore part = bleu({hypotheses[0], hypotheses[1]},
                              std::vector<Lines>{{references[0][0], references[0][1]}});
  BleuStatistics first_two = sentences[0];
  first_two += sentences[1];
  EXPECT_EQ(bleu_score(first_two, 1).line(), part.line());
}

TEST(Bleu, ReportsAsMetric) {
  const MetricScore metric =
      bleu({"a b c d"}, std::vector<Lines>{{"a b c d"}, {"x"}}, {BleuTokenizer::none, true})
          .metric();
  EXPECT_EQ(metric.name, "BLEU");
  EXPECT_NEAR(metric.score, 100, 1e-9);
  EXPECT_EQ(metric.signature, "nrefs:2|case:lc|eff:no|tok:none|smooth:exp|version:heed-0.1.0");
}

TEST(Bleu, BrokenBytesCountAsReplacementCharacters) {
  const std::vector<Lines> broken = {{"caf\xE9 one two three"}};
  const std::vector<Lines> mended = {{"caf\xEF\xBF\xBD one two three"}};
  EXPECT_EQ(bleu(mended[0], broken).line(), bleu(mended[0], mended).line());
  EXPECT_EQ(bleu(broken[0], mended).line(), bleu(mended[0], mended).line());
}

// Tables are cleared between sentences: a long one must not affect the next.
TEST(Bleu, ASentenceDoesNotDependOnItsNeighbours) {
  std::string long_line;
  for (int i = 0; i < 5000; ++i) long_line += fmt::format("w{} ", i % 700);
  const Lines hypotheses = {long_line, "w1 w2 w3 w4 w5"};
  const std::vector<Lines> references = {{long_line, "w1 w2 w3 w5 w4"}};
  const BleuStatistics alone =
      bleu_statistics({hypotheses[1]}, std::vector<Lines>{{references[0][1]}})[0];
  const std::vector<BleuStatistics> together = bleu_statistics(hypotheses, references);
  EXPECT_EQ(together[0].matches, together[0].totals);
  EXPECT_EQ(together[1].matches, alone.matches);
  EXPECT_EQ(alone.matches, (std::array<int64_t, 4>{5, 2, 1, 0}));
}

TEST(Bleu, SaysWhatIsWrongWithTheLines) {
  const Lines two = {"a", "b"};
  const auto score = [&](const std::vector<Lines>& references) { return bleu(two, references); };
  EXPECT_THAT([&] { score({{"a"}}); },
              ThrowsMessage<Error>(HasFacts("reference 1 line hypotheses 2")));
  EXPECT_THAT(
      [&] {
        score({{"a", "b"}, {"a", "b", "c"}});
      },
      ThrowsMessage<Error>(HasFacts("reference 2 3 lines hypotheses 2")));
  EXPECT_THAT([&] { score({}); }, ThrowsMessage<Error>(HasFacts("reference")));
  EXPECT_THAT([&] { bleu({}, std::vector<Lines>{{}}); }, ThrowsMessage<Error>(HasFacts("lines")));
}

}  // namespace
}  // namespace heed
