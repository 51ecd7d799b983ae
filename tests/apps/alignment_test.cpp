// Which heads align words: heed inspect model --alignment, and what commands do with its choice;
// word alignments as heed translate prints them, and as heed phrasebook writes the true ones.
#include <nlohmann/json.hpp>
#include <set>

#include "heed/text/lines.h"
#include "small_model_test.h"
#include "support/facts.h"

namespace heed::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AlignmentCommandTest : public SmallModelTest {
 protected:
  // A copy of the model m in a folder of this name.
  static void copy_model(const std::string& name) {
    ASSERT_EQ(heed({"average", "m", "--output", name, "--overwrite", "--quiet"}).status, 0);
  }
  static RunResult inspected(const std::string& model, const std::string& action,
                             const std::vector<std::string>& more = {}) {
    return heed(with({"inspect", "model", model, "--source", "train.zh", "--reference", "train.en",
                      "--lines", "200", "--alignment", action},
                     more));
  }
  static Json entry_of(const std::string& model) {
    return Json::parse(folder_->read(model + "/generation_config.json"))
        .value("heed", Json::object())
        .value("alignment", Json());
  }
  static Json translated(const std::string& model, const std::string& alignments,
                         const std::string& line) {
    return Json::parse(heed({"translate", "--model", model, "--compute", "fp32", "--format",
                             "jsonl", "--alignments", alignments, "--quiet"},
                            {}, line + "\n")
                           .out);
  }
};

TEST_F(AlignmentCommandTest, MeasuresTheSearchAndStoresIt) {
  copy_model("searched");
  const auto inspected_search = [](const std::string& action,
                                   const std::vector<std::string>& more = {}) {
    return heed(with({"inspect", "model", "searched", "--source", "train.zh", "--reference",
                      "train.en", "--lines", "60", "--search", action},
                     more));
  };
  const auto stored = [] {
    return Json::parse(folder_->read("searched/generation_config.json"))
        .value("heed", Json::object())
        .value("search", Json());
  };
  const Json before = stored();
  const RunResult text = inspected_search("measure");
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("\nBLEU (13a) of 60 lines by search\n"), HasSubstr("\nbest: beam ")));
  EXPECT_EQ(stored(), before);
  const Json report = Json::parse(inspected_search("store", {"--json"}).out)["search_trials"];
  const Json& best = report["best"];
  EXPECT_EQ(stored(), Json({{"beam", best["beam"]}, {"length_penalty", best["length_penalty"]}}));
  EXPECT_THAT(heed({"inspect", "model", "searched"}).out,
              HasSubstr(fmt::format("\nThe model's search: beam {}, length penalty ",
                                    best["beam"].get<int>())));
  // Commands search so from now on, unless their options say otherwise.
  Json generation = Json::parse(folder_->read("searched/generation_config.json"));
  generation["heed"]["search"] = {{"beam", 1}, {"length_penalty", 2}};
  folder_->write("searched/generation_config.json", generation.dump());
  const auto score = [](const std::vector<std::string>& more) {
    return Json::parse(heed(with({"translate", "--model", "searched", "--compute", "fp32",
                                  "--format", "jsonl", "--quiet"},
                                 more),
                            {}, "老师买了书。\n")
                           .out)["score"];
  };
  EXPECT_EQ(score({}), score({"--beam", "1", "--length-penalty", "2"}));
  EXPECT_NE(score({}), score({"--length-penalty", "0"}));
  EXPECT_THAT(heed({"inspect", "model", "searched", "--search", "store"}).err,
              HasFacts("--search --source --reference"));
  EXPECT_THAT(inspected_search("store", {"--alignment", "store"}).err,
              HasFacts("--alignment --search"));
}

TEST_F(AlignmentCommandTest, MeasuresWhichHeadsAlignAndStoresThem) {
  copy_model("aligned");
  const RunResult text = inspected("aligned", "measure");
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("Word alignment: how many of "), HasSubstr("in 200 pairs"),
                              HasSubstr("At the step that predicts the token"),
                              HasSubstr("head 4\n"), HasSubstr("\nbest         "),
                              HasSubstr("\nalignments   layer 2 of 2, mean of the 4 heads")));
  EXPECT_TRUE(entry_of("aligned").is_null());

  const Json measured = Json::parse(inspected("aligned", "measure", {"--json"}).out)["alignment"];
  EXPECT_EQ(measured["pairs"], 200);
  EXPECT_EQ(measured["alignments"]["heads"], Json::parse("[[2,1],[2,2],[2,3],[2,4]]"));
  double best = 0;
  for (const Json& candidate : measured["candidates"])
    best = std::max(best, candidate["agreement"].get<double>());
  EXPECT_NEAR(measured["best"]["agreement"], best, 0.0101);
  EXPECT_EQ(
      Json::parse(inspected("aligned", "measure", {"--json", "--threads", "3"}).out)["alignment"],
      measured);

  const RunResult stored = inspected("aligned", "store");
  ASSERT_EQ(stored.status, 0) << stored.err;
  EXPECT_THAT(stored.out, HasSubstr(" (stored)"));
  const Json entry = entry_of("aligned");
  ASSERT_EQ(entry["heads"].size(), measured["best"]["heads"].size());
  for (size_t i = 0; i < entry["heads"].size(); ++i)
    for (size_t k = 0; k < 2; ++k)
      EXPECT_EQ(entry["heads"][i][k].get<int>() + 1, measured["best"]["heads"][i][k]);
  EXPECT_EQ(entry["step"], measured["best"]["step"]);

  for (const char* command : {"average", "quantize"}) {
    const std::vector<std::string> copy =
        command == std::string("average")
            ? std::vector<std::string>{"average", "aligned"}
            : std::vector<std::string>{"quantize", "--model", "aligned"};
    EXPECT_EQ(heed(with(copy, {"--output", "copied", "--overwrite"})).status, 0);
    EXPECT_EQ(entry_of("copied"), entry) << command;
  }
}

TEST_F(AlignmentCommandTest, TheStoredHeadsAreThoseOfTheAlignments) {
  copy_model("chosen");
  Json generation = Json::parse(folder_->read("chosen/generation_config.json"));
  generation["heed"]["alignment"] = Json::parse(R"({"heads": [[0, 2]], "step": "predicting"})");
  folder_->write("chosen/generation_config.json", generation.dump());
  const std::string line = "她昨天买了三本书。";
  const Json weights = translated("chosen", "weights", line)["attention"];
  const Json head = Json::parse(
      heed({"inspect", "attention", line, "--model", "chosen", "--json"}).out)["cross"][0][2];
  ASSERT_GT(weights.size(), 0u);
  for (size_t row = 0; row < weights.size(); ++row) EXPECT_EQ(weights[row], head[row]);
  EXPECT_THAT(heed({"inspect", "attention", line, "--model", "chosen"}).out,
              HasSubstr("to the sentence, layer 1 of 2"));
}

TEST_F(AlignmentCommandTest, WhatIsWrongIsSaid) {
  expect_failure(heed({"inspect", "model", "m", "--alignment", "measure"}),
                 "--alignment measure needs --source and --reference", 2);
  expect_failure(heed({"inspect", "model", "m", "--alignment", "store", "--source", "train.zh"}),
                 "--alignment store needs --source and --reference", 2);
  expect_failure(inspected("m", "measure", {"--lines", "1"}), "word links in 1 pair, expected");
  copy_model("broken");
  folder_->write("broken/generation_config.json", R"({"heed": {"alignment": {"heads": 7}}})");
  expect_failure(heed(translate("broken"), {}, "你好。\n"),
                 "generation_config.json heed.alignment");
}

TEST_F(AlignmentCommandTest, WordsAreThoseOfTheLineAsGiven) {
  for (const auto& [line, words] : std::vector<std::pair<std::string, int>>{
           {"我\u200b的 书", 4}, {"我\u200e的书", 4}, {"我\ufeff的书", 4}}) {
    const Json translation = translated("m", "words", line);
    const std::string alignment = translation["alignment"];
    ASSERT_NE(alignment, "") << line;
    std::istringstream pairs(alignment);
    for (std::string pair; pairs >> pair;) EXPECT_LT(std::stoi(pair), words) << line;
  }
}

TEST_F(AlignmentCommandTest, ThePhrasebookHasTheTrueOnes) {
  const auto book = [](const std::vector<std::string>& more) {
    return heed(with({"phrasebook", "--pairs", "600", "--valid-pairs", "5", "--test-pairs", "7",
                      "--quiet", "--output", "true"},
                     more));
  };
  EXPECT_EQ(book({"--alignments"}).status, 0);
  EXPECT_EQ(read_lines(*folder_ / "true/train.align").size(), 600u);
  EXPECT_EQ(read_lines(*folder_ / "true/valid.align").size(), 5u);
  const std::vector<std::string> alignments = read_lines(*folder_ / "true/test.align"),
                                 english = read_lines(*folder_ / "true/test.en");
  ASSERT_EQ(alignments.size(), 7u);
  for (size_t i = 0; i < alignments.size(); ++i) {
    const auto spaces = std::count(english[i].begin(), english[i].end(), ' ');
    EXPECT_THAT(alignments[i], ::testing::EndsWith("-" + std::to_string(spaces)))
        << "the mark at the end is in the last word";
  }
  fs::remove(*folder_ / "true/train.zh");
  for (const char* name : {"train.en", "valid.zh", "valid.en", "test.zh", "test.en"})
    fs::remove(*folder_ / "true" / name);
  expect_failure(book({}), "train.align --overwrite", 2);
  EXPECT_EQ(book({"--overwrite"}).status, 0);
  EXPECT_FALSE(fs::exists(*folder_ / "true/train.align")) << "of other text";
}

}  // namespace
}  // namespace heed::testing
