// heed score on a model of seconds.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "small_model_test.h"
#include "support/facts.h"
#include "support/sanitized.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ScoreTest : public SmallModelTest {
 protected:
  static RunResult score(const std::string& source, const std::string& target,
                         const std::vector<std::string>& more = {}) {
    folder_->write("source", source);
    folder_->write("target", target);
    return heed(with({"score", "--model", "m", "--source", "source", "--target", "target"}, more));
  }
  static std::vector<nlohmann::json> json_lines(const std::string& text) {
    std::istringstream stream(text);
    std::vector<nlohmann::json> all;
    for (std::string line; std::getline(stream, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
};

TEST_F(ScoreTest, SlowPerplexityIsWhatTrainingReports) {
  const std::vector<std::string> validated{"--valid-source", "valid.zh", "--valid-target",
                                           "valid.en"};
  // A model opened in bf16 has its embeddings rounded too, one that trains has not.
  for (const auto& [compute, tolerance] :
       {std::pair<std::string, double>{"fp32", 1e-9}, {"bf16", 1e-3}}) {
    const RunResult trained =
        heed(with(with(train("v-" + compute), validated), {"--compute", compute}));
    ASSERT_EQ(trained.status, 0) << trained.err;
    const double perplexity =
        json_lines(folder_->read("v-" + compute + "/metrics.jsonl")).back()["perplexity"];
    const RunResult result =
        heed({"score", "--model", "v-" + compute, "--source", "valid.zh", "--target", "valid.en",
              "--format", "corpus", "--compute", compute});
    ASSERT_EQ(result.status, 0) << result.err;
    const auto corpus = nlohmann::json::parse(result.out);
    EXPECT_EQ(corpus["pairs"], 20);
    EXPECT_NEAR(corpus["perplexity"], perplexity, tolerance * perplexity);
    EXPECT_NEAR(std::exp(corpus["loss"].get<double>()), perplexity, tolerance * perplexity);
  }
}

TEST_F(ScoreTest, FormatsSayTheSame) {
  const std::string source = "你好。\n\n他是老师。\n", target = "Hello.\nHello.\nHe is a teacher.";
  const RunResult json = score(source, target, {"--format", "jsonl"});
  ASSERT_EQ(json.status, 0) << json.err;
  const auto pairs = json_lines(json.out);
  ASSERT_EQ(pairs.size(), 3u);
  std::string text, tokens;
  double sum = 0;
  for (const auto& pair : pairs) {
    ASSERT_EQ(pair["tokens"], pair["pieces"].size());
    ASSERT_EQ(pair["tokens"], pair["log_probabilities"].size());
    EXPECT_EQ(pair["pieces"].back(), "</s>");
    text += fmt::format("{:.6f}\n", pair["log_probability"].get<double>());
    tokens += fmt::format("{:.6f}\t", pair["log_probability"].get<double>());
    for (size_t i = 0; i < pair["pieces"].size(); ++i)
      tokens += fmt::format("{} {:.6f}{}", pair["pieces"][i].get<std::string>(),
                            pair["log_probabilities"][i].get<double>(),
                            i + 1 < pair["pieces"].size() ? " " : "\n");
    if (pair["status"] == "ok") sum += pair["log_probability"].get<double>();
  }
  EXPECT_EQ(pairs[1]["status"], "empty");
  EXPECT_EQ(score(source, target).out, text);
  EXPECT_EQ(score(source, target, {"--format", "tokens"}).out, tokens);
  const auto corpus = nlohmann::json::parse(score(source, target, {"--format", "corpus"}).out);
  EXPECT_EQ(corpus["pairs"], 2);
  EXPECT_EQ(corpus["skipped"], 1);
  EXPECT_DOUBLE_EQ(corpus["log_probability"], sum);
}

TEST_F(ScoreTest, TheWholeIsToldOnStandardError) {
  const RunResult result = score("你好。\n\n\xff!\n", "Hello.\nHello.\nHello.\n");
  EXPECT_THAT(result.err, HasSubstr("perplexity"));
  EXPECT_THAT(result.err, HasFacts("1 3 UTF-8"));
  EXPECT_THAT(result.err, HasFacts("1 3 pairs empty side"));
  EXPECT_THAT(score("你好。\n", "Hello.\n", {"--quiet"}).err, IsEmpty());
  const RunResult nothing = score("", "");
  EXPECT_EQ(nothing.status, 0) << nothing.err;
  EXPECT_THAT(nothing.out, IsEmpty());
  EXPECT_EQ(nlohmann::json::parse(score("", "", {"--format", "corpus"}).out)["loss"], nullptr);
}

TEST_F(ScoreTest, EveryOptionMatters) {
  const std::string source = folder_->read("valid.zh"), target = folder_->read("valid.en");
  const std::string plain = score(source, target).out;
  EXPECT_EQ(score(source, target, {"--compute", "fp32"}).out, plain);
  EXPECT_NE(score(source, target, {"--compute", "bf16"}).out, plain);
  EXPECT_NE(score(source, target, {"--compute", "int8"}).out, plain);
  EXPECT_EQ(score(source, target, {"--threads", "1", "--batch-tokens", "1"}).out, plain);
  expect_failure(score(source, target, {"--threads", "0"}), "--threads", 2);
  expect_failure(score(source, target, {"--batch-tokens", "0"}), "--batch-tokens", 2);
  EXPECT_THAT(score(source, target, {"--output", "scores"}).out, IsEmpty());
  EXPECT_EQ(folder_->read("scores"), plain);
  EXPECT_EQ(
      heed({"score", "--model", "m", "--source", "-", "--target", "valid.en"}, {}, source).out,
      plain);
}

TEST_F(ScoreTest, BatchTokensBoundTheMemory) {
  if (is_sanitized()) GTEST_SKIP() << "AddressSanitizer keeps what is freed for a while";
  std::string source, target;
  for (int i = 0; i < 2000; ++i) source += "你好。\n", target += "Hello.\n";
  const auto memory = [&](const char* tokens) {
    return score(source, target, {"--batch-tokens", tokens, "--threads", "1"}).peak_memory;
  };
  EXPECT_GT(memory("100000"), memory("50") + (1 << 20));
}

TEST_F(ScoreTest, WhatCannotBeScoredIsNamed) {
  expect_failure(score("one\ntwo\n", "one\n", {"--output", "o"}), "target 1 line source");
  expect_failure(score("one\n", "one\ntwo\nthree\n", {"--output", "o"}), "source 1 line target");
  expect_failure(score("one\n\xff\n", "one\ntwo\n", {"--strict", "--output", "o"}), "2 UTF-8 1");
  EXPECT_FALSE(std::filesystem::exists(*folder_ / "o"));
  expect_nothing_half_written(folder_->path());
  const auto files = [](const std::string& source, const std::string& target) {
    return heed({"score", "--model", "m", "--source", source, "--target", target});
  };
  expect_failure(files("absent", "valid.en"), "absent");
  expect_failure(files("valid.zh", "."), "directory");
  expect_failure(files("-", "-"), "standard input", 2);
  expect_failure(heed({"score", "--model", "gone", "--source", "valid.zh", "--target", "valid.en"}),
                 "gone");
}

}  // namespace
}  // namespace heed::testing
