// heed calibrate, and the confidence that commands have after it.
#include <nlohmann/json.hpp>
#include <sstream>

#include "small_model_test.h"

namespace heed::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Of the model "brief", which has 200 lines of text.
class CalibrateTest : public SmallModelTest {
 protected:
  void SetUp() override {
    fs::remove_all(folder_->path() / "c");
    fs::copy(folder_->path() / "brief", folder_->path() / "c");
  }
  static std::vector<std::string> calibrate() {
    return {"calibrate", "--model",   "c",    "--source",  "brief.zh", "--reference",
            "brief.en",  "--compute", "fp32", "--threads", "1"};
  }
  static std::vector<std::string> translate(const std::string& format) {
    return {"translate", "--model",   "c",    "--input",   "brief.zh", "--format",
            format,      "--compute", "fp32", "--threads", "1"};
  }
  static std::vector<Json> objects(const std::string& lines) {
    std::vector<Json> found;
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);) found.push_back(Json::parse(line));
    return found;
  }
};

TEST_F(CalibrateTest, TranslationsGetAConfidence) {
  const RunResult before = heed(translate("text"));
  const RunResult calibrated = heed(calibrate());
  ASSERT_EQ(calibrated.status, 0) << calibrated.err;
  EXPECT_THAT(calibrated.out, HasFacts("200 chrF AUC calibration error confidence good lines"));
  EXPECT_EQ(heed(translate("text")).out, before.out) << "it changes no translation";
  double least = 1, most = 0;
  for (const Json& line : objects(heed(translate("jsonl")).out)) {
    const double confidence = line.at("confidence");
    least = std::min(least, confidence), most = std::max(most, confidence);
    EXPECT_EQ(line.at("status"), "ok");
  }
  EXPECT_GT(least, 0);
  EXPECT_LT(most, 1);
  EXPECT_LT(least, most);
}

TEST_F(CalibrateTest, LinesBelowALimitAreMarked) {
  ASSERT_EQ(heed(calibrate()).status, 0);
  std::vector<double> confidences;
  for (const Json& line : objects(heed(translate("jsonl")).out))
    confidences.push_back(line.at("confidence"));
  std::vector<double> sorted = confidences;
  std::ranges::sort(sorted);
  const std::string limit = std::to_string(sorted[100]);
  const std::vector<Json> marked =
      objects(heed(with(translate("jsonl"), {"--min-confidence", limit})).out);
  for (size_t i = 0; i < marked.size(); ++i)
    EXPECT_EQ(marked[i].at("status"), confidences[i] < std::stod(limit) ? "doubtful" : "ok") << i;
  EXPECT_THAT(heed(with(translate("text"), {"--min-confidence", "1"})).err,
              HasFacts("200 of 200 lines --min-confidence doubtful lines: 1, 2, 3, 100 more"));
  EXPECT_EQ(heed(with(translate("text"), {"--min-confidence", "0"})).err.find("doubtful"),
            std::string::npos);
}

TEST_F(CalibrateTest, LinesThatTheModelDoesNotTranslate) {
  ASSERT_EQ(heed(calibrate()).status, 0);
  std::ofstream(folder_->path() / "odd") << "\none\n";
  const std::vector<Json> lines = objects(heed({"translate", "--model", "c", "--input", "odd",
                                                "--format", "jsonl", "--min-confidence", "1"})
                                              .out);
  EXPECT_EQ(lines.at(0).at("status"), "empty");
  EXPECT_FALSE(lines.at(0).contains("confidence"));
  EXPECT_EQ(lines.at(1).at("status"), "doubtful");
}

TEST_F(CalibrateTest, AModelThatTranslatesBackIsASignal) {
  const std::vector<std::string> reverse = {"--reverse-model", "m"};
  EXPECT_THAT(heed(with(translate("jsonl"), reverse)).err,
              HasFacts("c heed calibrate --reverse-model"));
  const RunResult result = heed(with(calibrate(), reverse));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasFacts("c: c with m:"));
  const RunResult alone = heed(translate("jsonl")), both = heed(with(translate("jsonl"), reverse));
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_NE(alone.out, both.out) << "the confidence is another";
  const std::string parallel = heed(with(translate("jsonl"), {"--reverse-model", "m", "--threads",
                                                              "3", "--batch-tokens", "9"}))
                                   .out;
  EXPECT_EQ(parallel, both.out) << "whatever the batch";
}

TEST_F(CalibrateTest, EvaluateComparesItWithTheReferences) {
  ASSERT_EQ(heed(calibrate()).status, 0);
  const RunResult result = heed({"evaluate", "--model", "c", "--source", "brief.zh", "--reference",
                                 "brief.en", "--html", "page.html"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasFacts("confidence: AUC calibration error of 200 lines are good"));
  EXPECT_EQ(
      heed({"evaluate", "--model", "brief", "--source", "brief.zh", "--reference", "brief.en"})
          .err.find("confidence"),
      std::string::npos);
}

TEST_F(CalibrateTest, OtherWeightsHaveNoConfidence) {
  ASSERT_EQ(heed(calibrate()).status, 0);
  ASSERT_EQ(heed({"quantize", "--model", "c", "--output", "c-int8"}).status, 0);
  EXPECT_THAT(heed({"inspect", "model", "c-int8", "--json"}).out,
              ::testing::Not(::testing::IsEmpty()));
  const auto has_confidence = [](const std::string& model) {
    std::ifstream file(folder_->path() / model / "generation_config.json");
    return Json::parse(file).at("heed").contains("confidence");
  };
  EXPECT_TRUE(has_confidence("c-int8"));
  const RunResult mean = heed({"average", "c", "brief", "--output", "c-mean"});
  ASSERT_EQ(mean.status, 0) << mean.err;
  EXPECT_FALSE(has_confidence("c-mean"));
}

TEST_F(CalibrateTest, SaysWhatItCannotDo) {
  expect_failure(heed(with(translate("text"), {"--min-confidence", "0.5"})), "heed calibrate");
  expect_failure(heed(with(translate("text"), {"--min-confidence", "0.5", "--sample"})),
                 "confidence --sample", 2);
  expect_failure(
      heed({"calibrate", "--model", "c", "--source", "brief.zh", "--reference", "train.en"}),
      "brief.zh 200 train.en");
  std::ofstream(folder_->path() / "few") << "one\ntwo\n";
  expect_failure(heed({"calibrate", "--model", "c", "--source", "few", "--reference", "few"}),
                 "2 lines 100");
  EXPECT_THAT(
      heed({"calibrate", "--model", "language", "--source", "brief.zh", "--reference", "brief.en"})
          .status,
      1);
}

}  // namespace
}  // namespace heed::testing
