// heed score --rerank on models of seconds.
#include <nlohmann/json.hpp>

#include "small_model_test.h"
#include "support/facts.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;

class RerankTest : public SmallModelTest {
 protected:
  static void SetUpTestSuite() {
    SmallModelTest::SetUpTestSuite();
    const RunResult lists =
        heed({"translate", "--model", "m", "--input", "test.zh", "--format", "jsonl", "--nbest",
              "4", "--max-length", "9", "--output", "lists"});
    ASSERT_EQ(lists.status, 0) << lists.err;
  }
  static RunResult rerank(const std::vector<std::string>& more) {
    return heed(with({"score", "--model", "m", "--source", "test.zh", "--compute", "fp32"}, more));
  }
  static std::vector<nlohmann::json> json_lines(const std::string& text) {
    std::vector<nlohmann::json> all;
    for (const std::string& line : lines_of(text)) all.push_back(nlohmann::json::parse(line));
    return all;
  }
};

TEST_F(RerankTest, OrdersByWeightedScores) {
  const std::vector<std::string> more{
      "--rerank",  "lists",   "--reverse-model", "other",         "--language-model", "lm",
      "--weights", "model=1", "reverse=0.5",     "language=0.25", "length=2"};
  const RunResult text = rerank(more);
  ASSERT_EQ(text.status, 0) << text.err;
  const RunResult json = rerank(with(more, {"--format", "jsonl"}));
  const auto before = json_lines(folder_->read("lists")), after = json_lines(json.out);
  const auto best = lines_of(text.out);
  ASSERT_EQ(after.size(), before.size());
  ASSERT_EQ(best.size(), before.size());
  for (size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i]["translation"], best[i]);
    ASSERT_EQ(after[i]["nbest"].size(), before[i]["nbest"].size());
    double last = 1e9;
    for (const auto& one : after[i]["nbest"]) {
      const size_t place = one["place"];
      EXPECT_EQ(one["translation"], before[i]["nbest"][place - 1]["translation"]);
      if (one["score"].is_null()) continue;
      const double sum = one["model"].get<double>() + 0.5 * one["reverse"].get<double>() +
                         0.25 * one["language"].get<double>() + 2 * one["length"].get<double>();
      EXPECT_NEAR(one["score"], sum, 1e-9);
      EXPECT_LE(one["score"], last);
      last = one["score"];
    }
  }
}

TEST_F(RerankTest, TunedWeightsAreThoseToGive) {
  const std::vector<std::string> more{"--rerank", "lists", "--language-model", "lm"};
  const RunResult tuned = rerank(with(more, {"--reference", "test.en"}));
  ASSERT_EQ(tuned.status, 0) << tuned.err;
  const std::string introduction = "with --weights ";
  const size_t begin = tuned.err.find(introduction);
  ASSERT_NE(begin, std::string::npos) << tuned.err;
  std::istringstream words(tuned.err.substr(
      begin + introduction.size(), tuned.err.find('\n', begin) - begin - introduction.size()));
  std::vector<std::string> given = with(more, {"--weights"});
  for (std::string word; words >> word;) given.push_back(word);
  const RunResult again = rerank(given);
  EXPECT_EQ(again.out, tuned.out) << again.err;
  EXPECT_EQ(rerank(with(given, {"--threads", "1", "--batch-tokens", "50"})).out, tuned.out);
}

TEST_F(RerankTest, AListMayHaveOneTranslation) {
  folder_->write("one", R"({"translation": "yes"})"
                        "\n"
                        R"({"nbest": [{"translation": "no"}]})"
                        "\n");
  folder_->write("two.zh", "你好。\n好。\n");
  const RunResult result =
      rerank({"--source", "two.zh", "--rerank", "one", "--weights", "model=1"});
  EXPECT_EQ(result.out, "yes\nno\n") << result.err;
}

TEST_F(RerankTest, RefusesWhatItCannotUse) {
  const std::vector<std::string> weights{"--weights", "model=1"};
  folder_->write("broken", R"({"translation": 7})"
                           "\n");
  expect_failure(rerank(with({"--rerank", "broken"}, weights)), "broken:1 \"translation\" 7");
  folder_->write("broken", R"({"nbest": []})"
                           "\n");
  expect_failure(rerank(with({"--rerank", "broken"}, weights)), "broken:1 \"nbest\"");
  folder_->write("broken", R"({"translation": "a\nb"})"
                           "\n");
  expect_failure(rerank(with({"--rerank", "broken"}, weights)), "broken:1 several lines");
  folder_->write("broken", "Hello.\n");
  expect_failure(rerank(with({"--rerank", "broken"}, weights)), "broken:1");
  folder_->write("broken", R"({"translation": "a"})"
                           "\n");
  expect_failure(rerank(with({"--rerank", "broken"}, weights)), "broken 1 test.zh");
  expect_failure(rerank({"--rerank", "lists"}), "--weights --reference", 2);
  expect_failure(rerank({"--rerank", "lists", "--weights", "modle=1"}), "modle=1 model=X", 2);
  expect_failure(rerank({"--rerank", "lists", "--weights", "model=1x"}), "model=1x", 2);
  expect_failure(rerank({"--rerank", "lists", "--weights", "model=inf"}), "model=inf", 2);
  expect_failure(rerank({"--rerank", "lists", "--weights", "length=1", "length=2"}), "twice", 2);
  expect_failure(rerank({"--rerank", "lists", "--weights", "reverse=1"}), "--reverse-model", 2);
  expect_failure(rerank(with({"--rerank", "lists", "--format", "corpus"}, weights)), "corpus", 2);
  expect_failure(rerank(with({"--rerank", "lists", "--target", "test.en"}, weights)), "--target",
                 2);
  expect_failure(rerank({"--target", "test.en", "--weights", "model=1"}), "--rerank", 2);
  folder_->write("few", "Hello.\n");
  expect_failure(rerank({"--rerank", "lists", "--reference", "few"}), "few 1 lists");
}

}  // namespace
}  // namespace heed::testing
