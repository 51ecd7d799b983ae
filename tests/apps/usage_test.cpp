// Command lines that are incomplete, or have a word too many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "run_heed.h"
#include "support/facts.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

using ::testing::Not;

class UsageTest : public ::testing::Test {
 protected:
  std::string refused(const std::vector<std::string>& arguments) const {
    const RunResult result = run_heed(arguments, folder_.path());
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(lines_of(result.err).size(), 1u) << result.err;
    return result.err;
  }

  const TemporaryFolder folder_;
};

TEST_F(UsageTest, AllThatIsMissingIsNamedAtOnceWithTheUsage) {
  EXPECT_THAT(refused({"train"}), HasFacts("--source --target --model FILE... DIR --tsv"));
  EXPECT_THAT(refused({"score", "--model", "m"}), HasFacts("--source --target"));
  EXPECT_THAT(refused({"evaluate", "--reference", "a"}), HasFacts("--hypothesis - standard input"));
  EXPECT_THAT(refused({"quantize"}), HasFacts("--model --output"));
  EXPECT_THAT(refused({"average"}), HasFacts("DIR|FILE... --output"));
  EXPECT_THAT(refused({"evaluate"}), HasFacts("--hypothesis --reference --model --source"));
}

// What stands before the usage.
std::string missing_part(const std::string& text) {
  return text.substr(0, text.find("(usage"));
}

TEST_F(UsageTest, WhatWasGivenIsNotMissing) {
  const auto missing = [&](const std::vector<std::string>& arguments) {
    return missing_part(refused(arguments));
  };
  EXPECT_THAT(missing({"train", "--source", "a"}), HasFacts("--target --model"));
  EXPECT_THAT(missing({"train", "--source", "a"}), Not(HasFacts("--source")));
  EXPECT_THAT(missing({"train", "--tsv", "a"}), HasFacts("--model"));
  EXPECT_THAT(missing({"train", "--tsv", "a"}), Not(HasFacts("--source")));
  EXPECT_THAT(missing({"evaluate", "--source", "a"}), HasFacts("--model --reference"));
  EXPECT_THAT(missing({"evaluate", "--source", "a"}), Not(HasFacts("--hypothesis")));
  folder_.write("run.toml", "source = 'a'\n");
  EXPECT_THAT(missing({"train", "--config", "run.toml"}), Not(HasFacts("--source")));
}

TEST_F(UsageTest, HelpNamesWhatIsNeeded) {
  const auto line = [](const char* command) {
    const std::string help = run_heed({command, "--help"}).out;
    const size_t begin = help.find("Usage:");
    return help.substr(begin, help.find("\n\n", begin) - begin);
  };
  EXPECT_THAT(line("score"), HasFacts("--model --source --target"));
  EXPECT_THAT(line("train"), HasFacts("--source --target --tsv --model"));
  EXPECT_THAT(line("phrasebook"), HasFacts("--output DIR"));
}

TEST_F(UsageTest, AMissingSubcommandIsGuessedFromWhatFollows) {
  std::filesystem::create_directory(folder_ / "zh-en");
  folder_.write("a.zh", "a\n");
  folder_.write("a.en", "a\n");
  EXPECT_THAT(refused({"inspect", "zh-en"}), HasFacts("'heed inspect model zh-en'"));
  EXPECT_THAT(refused({"inspect", "tiny"}), HasFacts("'heed inspect model tiny'"));
  EXPECT_THAT(refused({"inspect", "a.zh"}), HasFacts("'heed inspect data a.zh TARGET'"));
  EXPECT_THAT(refused({"inspect", "a.zh", "a.en"}), HasFacts("'heed inspect data a.zh a.en'"));
  EXPECT_THAT(refused({"inspect", "nothing"}), HasFacts("model data"));
  EXPECT_THAT(refused({"completion", "/bin/bash"}), HasFacts("'heed completion bash'"));
  EXPECT_THAT(refused({"inspect"}), HasFacts("'heed inspect model DIR' 'heed inspect run DIR...'"));
  EXPECT_THAT(refused({"completion"}), HasFacts("'heed completion bash'"));
}

TEST_F(UsageTest, AWordTooManyNamesTheOptionThatTakesIt) {
  std::filesystem::create_directory(folder_ / "zh-en");
  folder_.write("a.zh", "a\n");
  folder_.write("a.en", "a\n");
  folder_.write("run.toml", "");
  EXPECT_THAT(refused({"translate", "zh-en"}), HasFacts("'--model zh-en'"));
  EXPECT_THAT(refused({"translate", "a.zh"}), HasFacts("'--input a.zh'"));
  EXPECT_THAT(refused({"translate", "--quiet", "hello"}), HasFacts("hello --input"));
  EXPECT_THAT(refused({"train", "a.zh", "a.en"}), HasFacts("'--source a.zh --target a.en'"));
  EXPECT_THAT(refused({"train", "run.toml"}), HasFacts("'--config run.toml'"));
  EXPECT_THAT(refused({"evaluate", "a.en"}), HasFacts("'--hypothesis a.en'"));
  EXPECT_THAT(refused({"phrasebook", "data"}), HasFacts("'--output data'"));
  EXPECT_THAT(refused({"bench", "--part", "kernels", "training"}), HasFacts("--part training"));
}

TEST_F(UsageTest, OnlyATextGetsTheAdviceOnADash) {
  EXPECT_THAT(refused({"translate", "--model", "-x"}), HasFacts("--model=-x"));
  EXPECT_THAT(refused({"translate", "--model", "--quiet"}), HasFacts("--model '--quiet'"));
  EXPECT_THAT(refused({"translate", "--model", "--quiet"}), Not(HasFacts("--model=--quiet")));
  EXPECT_THAT(refused({"demo", "--minutes", "-5"}), HasFacts("--minutes '-5'"));
  EXPECT_THAT(refused({"demo", "--minutes", "-inf"}), HasFacts("--minutes '-inf'"));
  EXPECT_THAT(refused({"demo", "--minutes", "-inf"}), Not(HasFacts("--minutes=-inf")));
  EXPECT_THAT(refused({"demo", "--minutes"}), Not(HasFacts("'-'")));
}

TEST_F(UsageTest, MetricsAreSeparatedByCommasOrSpaces) {
  folder_.write("r", "the cat sat on the mat\n");
  folder_.write("h", "the cat sat on a mat\n");
  folder_.write("run.toml", "metrics = ['bleu', 'chrf', 'ter']\n");
  const auto scores = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"evaluate", "--hypothesis", "h", "--reference", "r"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const RunResult result = run_heed(arguments, folder_.path());
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  };
  const std::string expected = scores({"--metrics", "bleu,chrf,ter"});
  EXPECT_THAT(expected, HasFacts("BLEU chrF2 TER"));
  EXPECT_EQ(scores({"--metrics", "bleu", "chrf", "ter"}), expected);
  EXPECT_EQ(scores({"--metrics", "bleu,", "chrf,", "ter"}), expected);
  EXPECT_EQ(scores({"--metrics", "bleu", "--metrics", "chrf,ter"}), expected);
  EXPECT_EQ(scores({"--config", "run.toml"}), expected);
  EXPECT_THAT(refused({"evaluate", "--hypothesis", "h", "--reference", "r", "--metrics", ","}),
              HasFacts("--metrics bleu chrf ter"));
}

}  // namespace
}  // namespace heed::testing
