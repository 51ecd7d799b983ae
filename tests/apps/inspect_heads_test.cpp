// heed inspect model --source: what the heads look at, and the loss without each; its page.
#include <nlohmann/json.hpp>

#include "small_model_test.h"
#include "support/page_data.h"

namespace heed::testing {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class InspectHeadsTest : public SmallModelTest {};

TEST_F(InspectHeadsTest, ItsLossIsThatOfHeedScore) {
  const RunResult result =
      heed({"inspect", "model", "m", "--source", "valid.zh", "--reference", "valid.en", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json heads = Json::parse(result.out)["heads"];
  const RunResult scored = heed({"score", "--model", "m", "--source", "valid.zh", "--target",
                                 "valid.en", "--format", "corpus"});
  ASSERT_EQ(scored.status, 0) << scored.err;
  EXPECT_NEAR(heads["loss"].get<double>(), Json::parse(scored.out)["loss"].get<double>(), 1e-6);
  EXPECT_EQ(heads["sites"].size(), 3U);
  for (const Json& site : heads["sites"])
    for (const Json& head : site["heads"]) {
      EXPECT_EQ(head["offsets"].size(), 21U);
      EXPECT_GT(head["loss_without"].get<double>(), 0);
    }
}

TEST_F(InspectHeadsTest, PrintsAHeadPerColumn) {
  const RunResult result =
      heed({"inspect", "model", "m", "--source", "valid.zh", "--lines", "5", "--threads", "2"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("over 5 lines of valid.zh and the model's translations"),
                    ContainsRegex("\nencoder +head 1 +head 2"), ContainsRegex("\n  layer 2 +."),
                    ContainsRegex("\n  [+-][0-9.]+  cross 1.1 ")));
}

TEST_F(InspectHeadsTest, ThePageHasTheNumbersOfTheJson) {
  const RunResult result = heed({"inspect", "model", "m", "--source", "valid.zh", "--lines", "5",
                                 "--json", "--html", "model.html"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json json = Json::parse(result.out), page = data_of(folder_->read("model.html"));
  EXPECT_EQ(page["heads"], json["heads"]);
  EXPECT_EQ(page["model"]["parts"], json["parts"]);
  EXPECT_EQ(page["model"]["parameters"], json["parameters"]);
  int64_t values = 0;
  for (const Json& parameter : page["statistics"]) values += parameter["count"].get<int64_t>();
  EXPECT_EQ(values, json["parameters"].get<int64_t>());
}

TEST_F(InspectHeadsTest, APageOfAPresetHasNoWeights) {
  const RunResult result = heed({"inspect", "model", "base", "--html", "base.html"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json page = data_of(folder_->read("base.html"));
  EXPECT_TRUE(page["statistics"].is_null());
  EXPECT_TRUE(page["heads"].is_null());
  expect_failure(heed({"inspect", "model", "m", "--html", "m/config.json"}), "--html", 2);
}

TEST_F(InspectHeadsTest, SaysWhatItNeeds) {
  expect_failure(heed({"inspect", "model", "tiny", "--source", "valid.zh"}), "--source preset", 2);
  expect_failure(heed({"inspect", "model", "m", "--lines", "3"}), "--source", 2);
  expect_failure(heed({"inspect", "model", "m", "--source", "valid.zh", "--reference", "one.en"}),
                 "one.en");
  expect_failure(heed({"inspect", "attention", "x", "--model", "m", "--lines", "3"}),
                 "--lines changes nothing 'heed inspect model'", 2);
  folder_->write("nothing", "");
  expect_failure(heed({"inspect", "model", "m", "--source", "nothing"}), "nothing no lines");
  folder_->write("blank", "\n \n");
  expect_failure(heed({"inspect", "model", "m", "--source", "blank"}), "no line to look at");
}

TEST_F(InspectHeadsTest, SaysWhichLinesItLeavesOut) {
  folder_->write("some", "\n" + folder_->read("valid.zh"));
  const RunResult result = heed({"inspect", "model", "m", "--source", "some", "--lines", "3"});
  ASSERT_EQ(result.status, 0) << result.err;
  // A line has one token less than the model has positions, 512 here: </s> follows it.
  EXPECT_THAT(result.err, HasFacts("1 of 3 lines left out: empty 511"));
  EXPECT_THAT(result.out, HasSubstr("Heads, over 2 lines"));
}

TEST_F(InspectHeadsTest, APageIsAFileOfItsOwn) {
  for (const char* flag : {"--source", "--reference"})
    expect_failure(heed({"inspect", "model", "m", "--source", "valid.zh", flag, "valid.en",
                         "--html", "valid.en"}),
                   "--html valid.en would be lost", 2);
  EXPECT_NE(folder_->read("valid.en"), "");
  // Before minutes of work.
  expect_failure(
      heed({"inspect", "model", "m", "--source", "valid.zh", "--html", "nowhere/p.html"}),
      "nowhere");
  expect_failure(heed({"inspect", "model", "m", "--html", ""}), "--html empty text", 2);
}

}  // namespace
}  // namespace heed::testing
