#include "heed/pages/evaluation_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/page_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

const Lines kReference = {"The cat sat on the mat .", "A dog barks loudly .", "It rains .",
                          "Hello, world! It's five o'clock."};
const Lines kFirst = {"the cat sat on a mat .", "A dog sings loudly .", "",
                      "Hello , world ! It 's 5 o'clock ."};
const Lines kSecond = {"The cat sat on the mat .", "Dogs bark .", "nothing", "Hello"};

// The page of systems by BLEU, chrF2 and TER, as the command makes it.
class EvaluationPageTest : public ::testing::Test {
 protected:
  static std::string page_of(const EvaluatedTexts& texts,
                             const std::optional<PairedTestOptions>& test = {}) {
    const std::vector<Lines>&systems = texts.systems.texts, &references = texts.references.texts;
    const auto bleu = bleu_system_statistics(systems, references);
    const auto sentence_bleu =
        bleu_system_statistics(systems, references, {.effective_order = true});
    const auto chrf = chrf_system_statistics(systems, references);
    const auto ter = ter_system_statistics(systems, references);
    return evaluation_page(texts,
                           {{metric_report(*bleu, test), bleu.get(), sentence_bleu.get()},
                            {metric_report(*chrf, test), chrf.get(), chrf.get()},
                            {metric_report(*ter, test), ter.get(), ter.get()}},
                           test);
  }

  const EvaluatedTexts texts_{{{"first", "second"}, {kFirst, kSecond}}, {{"right"}, {kReference}}};
};

// Golden: sacreBLEU 2.6.0, BLEU(), CHRF(), TER(): corpus_score(...).score with two decimals.
TEST_F(EvaluationPageTest, CorpusScoresAreThoseOfSacreBleu) {
  const Json data = testing::data_of(page_of(texts_));
  EXPECT_EQ(data["kind"], "evaluation");
  EXPECT_EQ(data["systems"], Json({"first", "second"}));
  EXPECT_EQ(data["sentences"], 4);
  EXPECT_TRUE(data["source"].is_null());
  EXPECT_TRUE(data["test"].is_null());
  const std::vector<std::string> names = {"BLEU", "chrF2", "TER"};
  const std::vector<std::vector<double>> golden = {{25.66, 33.09}, {60.68, 38.43}, {70.0, 60.0}};
  for (size_t metric = 0; metric < names.size(); ++metric) {
    EXPECT_EQ(data["metrics"][metric]["name"], names[metric]);
    EXPECT_EQ(data["metrics"][metric]["lower_is_better"], names[metric] == "TER");
    for (size_t system = 0; system < 2; ++system) {
      const Json& found = data["metrics"][metric]["systems"][system];
      EXPECT_EQ(found["score"], golden[metric][system]);
      EXPECT_GT(found["half_width"], 0) << "an interval, without a test";
      EXPECT_NEAR(found["mean"].get<double>(), golden[metric][system],
                  found["half_width"].get<double>());
      EXPECT_FALSE(found.contains("p_value"));
    }
  }
  EXPECT_THAT(data["metrics"][0]["signature"].get<std::string>(), HasSubstr("eff:no"));
  EXPECT_THAT(data["metrics"][0]["sentence_signature"].get<std::string>(), HasSubstr("eff:yes"));
}

// Golden: sentence_score(...).score of BLEU(effective_order=True), CHRF() and TER().
TEST_F(EvaluationPageTest, SentenceScoresAreThoseOfSacreBleu) {
  const Json numbers = testing::block_of(page_of(texts_), 0).json;
  EXPECT_EQ(numbers["scores"],
            Json::parse(R"([[[32.17, 30.21, 0.0, 35.49], [100.0, 14.13, 0.0, 0.09]],
                            [[62.11, 50.93, 0.0, 75.72], [100.0, 18.12, 8.86, 13.71]],
                            [[14.29, 20.0, 100.0, 180.0], [0.0, 80.0, 100.0, 100.0]]])"));
  EXPECT_EQ(numbers["lengths"], Json::parse("[[7, 5, 3, 5]]"));
}

// Golden: corpus_score() of the second and the fourth sentence.
TEST_F(EvaluationPageTest, ABucketHasTheCorpusScoreOfItsSentences) {
  const Json lengths = testing::data_of(page_of(texts_))["lengths"];
  ASSERT_EQ(lengths.size(), 1u);
  EXPECT_EQ(lengths[0]["side"], "reference");
  EXPECT_EQ(lengths[0]["unit"], "words");
  const Json buckets = lengths[0]["buckets"];
  ASSERT_EQ(buckets.size(), 7u);
  EXPECT_EQ(buckets[5], Json::parse(R"({"first": 5, "last": 5, "sentences": 2,
      "scores": [[30.74, 0.0], [67.15, 14.0], [100.0, 90.0]]})"));
  EXPECT_EQ(buckets[4], Json::parse(R"({"first": 4, "last": 4, "sentences": 0, "scores": []})"));
  EXPECT_TRUE(buckets[6]["last"].is_null());
}

TEST_F(EvaluationPageTest, TestsAreThoseOfTheReport) {
  const PairedTestOptions test{PairedTest::bootstrap, 50, 7};
  const auto bleu =
      bleu_system_statistics(std::vector<Lines>{kFirst, kSecond}, std::vector<Lines>{kReference});
  const std::vector<PairedResult> results = paired_test(*bleu, test);
  const Json data = testing::data_of(page_of(texts_, test));
  EXPECT_EQ(data["test"], Json({{"kind", "bootstrap"}, {"trials", 50}, {"seed", 7}}));
  const Json systems = data["metrics"][0]["systems"];
  EXPECT_FALSE(systems[0].contains("p_value"));
  EXPECT_NEAR(systems[1]["p_value"], *results[1].p_value, 5e-5);
  EXPECT_EQ(systems[1]["significant"], *results[1].p_value <= 0.05);
  for (size_t system = 0; system < 2; ++system) {
    EXPECT_NEAR(systems[system]["mean"], results[system].interval->mean, 5e-3);
    EXPECT_NEAR(systems[system]["half_width"], results[system].interval->half_width, 5e-3);
  }
}

TEST_F(EvaluationPageTest, TextsAreInBlocksOfSentences) {
  Lines hypotheses, references, sources;
  for (int i = 0; i < 450; ++i) {
    hypotheses.push_back(fmt::format("hypothesis {}", i));
    references.push_back(fmt::format("reference {}", i));
    sources.push_back(fmt::format("第{}句", i));
  }
  const std::string html = page_of(
      {{{"one"}, {hypotheses}}, {{"a", "b"}, {references, hypotheses}}, {{"zh"}, {sources}}});
  const Json data = testing::data_of(html);
  EXPECT_EQ(data["block_sentences"], 200);
  EXPECT_EQ(data["source"], "zh");
  ASSERT_EQ(data["lengths"].size(), 2u);
  EXPECT_EQ(data["lengths"][1]["side"], "source");
  EXPECT_EQ(data["lengths"][1]["unit"], "characters");
  const Json last = testing::block_of(html, 3).json;
  EXPECT_EQ(last["systems"][0].size(), 50u);
  EXPECT_EQ(last["systems"][0][49], "hypothesis 449");
  EXPECT_EQ(last["references"][0][0], "reference 400");
  EXPECT_EQ(last["references"][1][0], "hypothesis 400");
  EXPECT_EQ(last["source"][49], "第449句");
  EXPECT_THAT(html, Not(HasSubstr("id=\"block-4\"")));
}

TEST_F(EvaluationPageTest, HostileTextsAreKeptAsTheyAre) {
  const Lines hostile = {"</script><script>alert(1)</script>", "\u202e{{data}} \"'&", "", "\xff"};
  const std::string html = page_of({{{"<b>"}, {hostile}}, {{"</script>"}, {hostile}}});
  const Json block = testing::block_of(html, 1).json;
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(block["systems"][0][i], hostile[i]);
  EXPECT_EQ(block["systems"][0][3], "\uFFFD");
  EXPECT_EQ(testing::data_of(html)["references"][0], "</script>");
  EXPECT_THAT(html, Not(HasSubstr("alert(1)</script>")));
}

// The page of labels by accuracy and macro F1.
std::string page_of_labels(const EvaluatedTexts& texts) {
  const std::vector<Lines>&systems = texts.systems.texts, &references = texts.references.texts;
  const auto accuracy = label_system_statistics(systems, references, LabelMetric::accuracy);
  const auto f1 = label_system_statistics(systems, references, LabelMetric::f1);
  return evaluation_page(texts,
                         {{metric_report(*accuracy, {}), accuracy.get(), accuracy.get()},
                          {metric_report(*f1, {}), f1.get(), f1.get()}},
                         {});
}

TEST_F(EvaluationPageTest, LabelsHaveATableOfConfusionsAndTheScoresOfClasses) {
  const Json data = testing::data_of(page_of_labels(
      {{{"a", "b"}, {{"N V", "N D"}, {"N N", "V D"}}}, {{"right"}, {{"N V", "N N"}}}}));
  EXPECT_EQ(data["labels"]["names"], Json({"D", "N", "V"}));
  EXPECT_EQ(data["labels"]["others"], 0);
  // [reference, system, count]
  EXPECT_EQ(data["labels"]["systems"][0], Json::parse("[[1, 0, 1], [1, 1, 2], [2, 2, 1]]"));
  EXPECT_EQ(data["labels"]["systems"][1],
            Json::parse("[[1, 0, 1], [1, 1, 1], [1, 2, 1], [2, 1, 1]]"));
  const Json systems = data["metrics"][1]["systems"];
  // Class, precision, recall, F1 and the number in the reference.
  EXPECT_EQ(systems[0]["classes"], Json::parse(R"([["D", 0.0, 0.0, 0.0, 0],
                                                  ["N", 100.0, 66.67, 80.0, 3],
                                                  ["V", 100.0, 100.0, 100.0, 1]])"));
  EXPECT_FALSE(data["metrics"][0]["systems"][0].contains("classes"));
  EXPECT_TRUE(testing::data_of(page_of(texts_))["labels"].is_null());
}

TEST_F(EvaluationPageTest, RareLabelsShareAPlaceInTheTableOfConfusions) {
  Lines labels, got;
  for (int i = 0; i < 42; ++i) {
    labels.push_back(fmt::format("label{:02} label{:02}", i, i));
    got.push_back(fmt::format("label{:02} label00", i));
  }
  labels[7] = got[7] = "rare7";
  labels[9] = got[9] = "rare9";
  const Json found =
      testing::data_of(page_of_labels({{{"a"}, {got}}, {{"right"}, {labels}}}))["labels"];
  EXPECT_EQ(found["names"].size(), 40u);
  EXPECT_EQ(found["others"], 2);
  EXPECT_EQ(found["systems"][0].back(), Json({40, 40, 2}));
}

}  // namespace
}  // namespace heed
