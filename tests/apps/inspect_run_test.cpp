// heed inspect run, and the report that heed train keeps.
#include <nlohmann/json.hpp>

#include "small_model_test.h"
#include "support/page_data.h"

namespace heed::testing {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class InspectRunTest : public SmallModelTest {
 protected:
  // Another run, with two options of its own.
  static void train_other() {
    const RunResult result = heed(with(
        train("other", "9"), {"--overwrite", "--valid-source", "valid.zh", "--valid-target",
                              "valid.en", "--validation-metric", "bleu", "--dropout", "0.25"}));
    ASSERT_EQ(result.status, 0) << result.err;
  }
  static std::string page() { return folder_->read("page.html"); }
};

TEST_F(InspectRunTest, ShowsTheOptionsOfOneRun) {
  const RunResult result = heed({"inspect", "run", "m"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(ContainsRegex("Run +State +Steps"), ContainsRegex("\nm +complete "),
                                ContainsRegex("\nseed +[0-9]+\n")));
}

TEST_F(InspectRunTest, SlowComparesRuns) {
  train_other();
  const RunResult result = heed({"inspect", "run", "m", "other", "--html", "page.html"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(ContainsRegex("\nother +complete "), HasSubstr("\nOptions that differ\n"),
                    ContainsRegex("\ndropout +[0-9.]+ +0.25\n"), Not(HasSubstr("\nd_model"))));
  EXPECT_THAT(result.err, HasSubstr("page of the runs: page.html"));
  const Json data = data_of(page());
  ASSERT_EQ(data["runs"].size(), 2U);
  EXPECT_EQ(data["runs"][1]["name"], "other");
  EXPECT_EQ(data["live"], false);

  const Json json = Json::parse(heed({"inspect", "run", "m", "other", "--json"}).out);
  EXPECT_THAT(json["differing_options"], Contains("dropout"));
  const Json& other = json["runs"][1];
  EXPECT_EQ(other["highest_bleu"]["bleu"], data["runs"][1]["validation"]["bleu"].back());
  EXPECT_EQ(other["train_loss"], data["runs"][1]["train"]["loss"].back());
}

TEST_F(InspectRunTest, SlowTheReportHasSamplesOfTheProgram) {
  train_other();
  const std::string html = folder_->read("other/training/report.html");
  const Json run = data_of(html)["runs"][0];
  ASSERT_FALSE(run["sentences"].empty());
  const Json& sample = run["sentences"][0]["samples"].back();
  // The model that the run wrote translates the sentence so, too.
  const RunResult translated =
      heed({"translate", "--model", "other", "--beam", "1", "--compute", "fp32"}, {},
           run["sentences"][0]["source"].get<std::string>() + "\n");
  EXPECT_EQ(sample["output"].get<std::string>() + "\n", translated.out);
  const PageBlock block = block_of(html, sample["block"].get<int64_t>());
  EXPECT_EQ(block.numbers.size(),
            block.json["source_pieces"].size() * block.json["target_pieces"].size());
}

TEST_F(InspectRunTest, SaysWhatIsMissing) {
  expect_failure(heed({"inspect", "run", "nowhere"}), "nowhere directory of a run");
  expect_failure(heed({"inspect", "run", "m", "train.zh"}), "train.zh not a directory");
  expect_failure(heed({"inspect", "run"}), "DIR is missing", 2);
  expect_failure(heed({"inspect", "data", "train.zh"}), "TARGET is missing", 2);
  for (const char* file : {"m/metrics.jsonl", "m/model.safetensors", "m/training/train.corpus"})
    expect_failure(heed({"inspect", "run", "m", "--html", file}), "--html would be lost", 2);
  expect_failure(heed({"inspect", "run", "m", "--model", "m"}), "--model 'heed inspect", 2);
}

TEST_F(InspectRunTest, WarnsOfWhatCannotBeRead) {
  train_other();
  std::filesystem::create_directories(*folder_ / "damaged/training");
  folder_->write("damaged/metrics.jsonl",
                 "{\"kind\": 1}\n[]\n" + folder_->read("other/metrics.jsonl"));
  folder_->write("damaged/training/state.safetensors", "x");
  const RunResult result = heed({"inspect", "run", "damaged", "other"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasFacts("metrics.jsonl 2 lines left out first: line 1: no report"));
  EXPECT_THAT(result.err, HasFacts("state.safetensors"));
  EXPECT_THAT(result.out, HasSubstr("Options unknown"));
  EXPECT_THAT(result.out, Not(HasSubstr("equal")));
  folder_->write("damaged/metrics.jsonl", "{}\n");
  expect_failure(heed({"inspect", "run", "damaged"}), "metrics.jsonl none of its lines");
}

TEST_F(InspectRunTest, NamesTheFirstDamagedValue) {
  std::filesystem::create_directories(*folder_ / "odd");
  const std::string good = R"({"kind":"train","step":2,"loss":1,"nll":null})";
  for (const auto& [line, named] :
       {std::pair(R"({"kind":"train","step":-5,"loss":1})", "step is -5"),
        std::pair(R"({"kind":"train","step":3.5,"loss":1})", "step is 3.5"),
        std::pair(R"({"kind":"train","step":3,"loss":"low"})", R"(loss is "low")"),
        std::pair(R"({"kind":"validation","step":3,"perplexity":[1]})", "perplexity is [1]"),
        std::pair(R"({"kind":"average","step":3,"bleu":-1})", "bleu is -1")}) {
    folder_->write("odd/metrics.jsonl", good + "\n" + line + "\n");
    const RunResult result = heed({"inspect", "run", "odd", "--json"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.err,
                HasFacts("odd/metrics.jsonl 1 line left out line 2: " + std::string(named)));
    EXPECT_EQ(Json::parse(result.out)["runs"][0]["step"], 2);
    folder_->write("odd/metrics.jsonl", std::string(line) + "\n");
    expect_failure(heed({"inspect", "run", "odd"}),
                   "none of its lines line 1: " + std::string(named));
  }
}

// Runs are compared by their texts, not by the names of the files.
TEST_F(InspectRunTest, SlowATextOfAnotherNameIsTheSameText) {
  const auto files = [](const std::string& begin) {
    return std::vector<std::string>{"--valid-source", begin + "valid.zh", "--valid-target",
                                    begin + "valid.en", "--overwrite"};
  };
  ASSERT_EQ(heed(with(train("here"), files(""))).status, 0);
  ASSERT_EQ(heed(with(train("there", "8"), files("./"))).status, 0);
  const auto differing = [] {
    const RunResult result =
        heed({"inspect", "run", "here", "there", "--json", "--html", "page.html"});
    return Json::parse(result.out)["differing_options"];
  };
  EXPECT_EQ(differing(), Json::array({"seed"}));
  const Json runs = data_of(page())["runs"];
  EXPECT_EQ(runs[0]["validation_text"], runs[1]["validation_text"]);
  EXPECT_NE(runs[0]["validation_text"], "");
  // A file of the same length, and one of the same name, may be another text.
  folder_->write("other.zh", folder_->read("valid.zh") + "。\n");
  folder_->write("other.en", folder_->read("valid.en") + ".\n");
  ASSERT_EQ(heed(with(train("there", "9"),
                      {"--valid-source", "other.zh", "--valid-target", "other.en", "--overwrite"}))
                .status,
            0);
  EXPECT_THAT(differing(), AllOf(Contains("valid_source"), Contains("valid_target")));
}

TEST_F(InspectRunTest, TheBestOfEachMetricIsItsOwn) {
  std::filesystem::create_directories(*folder_ / "best");
  folder_->write("best/metrics.jsonl",
                 R"({"kind":"train","step":2,"loss":1}
{"kind":"validation","step":1,"loss":2,"perplexity":4,"bleu":9,"bleu_tokenize":"13a","chrf":20}
{"kind":"validation","step":2,"loss":1,"perplexity":5,"bleu":8,"bleu_tokenize":"13a","chrf":30}
)");
  const Json run = Json::parse(heed({"inspect", "run", "best", "--json"}).out)["runs"][0];
  EXPECT_EQ(run["lowest_loss"]["step"], 2);
  EXPECT_EQ(run["lowest_perplexity"]["perplexity"], 4);
  EXPECT_EQ(run["highest_bleu"]["chrf"], 20);
  EXPECT_EQ(run["highest_chrf"]["chrf"], 30);
}

}  // namespace
}  // namespace heed::testing
