// heed evaluate, on files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run_heed.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;

class EvaluateTest : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string right_ =
      folder_.write("right", "The cat sat on the mat .\nA dog barks loudly .\n");
  const std::string wrong_ =
      folder_.write("wrong", "the cat sat on a mat .\nA dog sings loudly .\n");
};

TEST_F(EvaluateTest, AgreesWithSacreBleu) {
  // sacrebleu right -i wrong -m bleu chrf -w 4, and -m chrf --chrf-word-order 2
  const RunResult result = run_heed({"evaluate", "--hypothesis", wrong_, "--reference", right_,
                                     "--metrics", "bleu,chrf,chrf++", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto scores = nlohmann::json::parse(result.out);
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0]["name"], "BLEU");
  EXPECT_NEAR(scores[0]["score"], 25.6673, 5e-5);
  EXPECT_THAT(scores[0]["signature"].get<std::string>(),
              HasSubstr("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:heed-"));
  EXPECT_EQ(scores[1]["name"], "chrF2");
  EXPECT_NEAR(scores[1]["score"], 56.8367, 5e-5);
  EXPECT_EQ(scores[2]["name"], "chrF2++");
  EXPECT_NEAR(scores[2]["score"], 59.3033, 5e-5);
}

TEST_F(EvaluateTest, OptionsReachTheMetric) {
  const std::string lower =
      folder_.write("lower", "the cat sat on the mat .\na dog barks loudly .\n");
  const auto bleu = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command{"evaluate",    "--hypothesis", lower,
                                     "--reference", right_,         "--json"};
    command.insert(command.end(), more.begin(), more.end());
    return nlohmann::json::parse(run_heed(command).out)[0];
  };
  EXPECT_LT(bleu({})["score"], 90);
  EXPECT_NEAR(bleu({"--lowercase"})["score"], 100, 1e-9);
  EXPECT_THAT(bleu({"--tokenize", "char"})["signature"].get<std::string>(), HasSubstr("tok:char"));
  EXPECT_THAT(bleu({"--reference", wrong_})["signature"].get<std::string>(), HasSubstr("nrefs:2"));
}

TEST_F(EvaluateTest, ReadsStandardInputAndPrintsForReaders) {
  const RunResult result = run_heed({"evaluate", "--hypothesis", "-", "--reference", right_}, ".",
                                    folder_.read("right"));
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("BLEU = 100.00 100.0/100.0/100.0/100.0"));
}

TEST_F(EvaluateTest, BadInputIsNamed) {
  const auto error = [&](std::vector<std::string> arguments, int status) {
    arguments.insert(arguments.begin(), "evaluate");
    const RunResult result = run_heed(arguments);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  const std::string shorter = folder_.write("shorter", "one\n");
  EXPECT_THAT(error({"--hypothesis", shorter, "--reference", right_}, 1),
              HasSubstr("shorter has 1 lines and"));
  EXPECT_THAT(error({"--hypothesis", "absent", "--reference", right_}, 1), HasSubstr("absent"));
  EXPECT_THAT(error({"--hypothesis", shorter}, 2), HasSubstr("--reference is missing"));
  EXPECT_THAT(error({"--reference", right_}, 2),
              HasSubstr("give either --hypothesis, or --model and --source"));
  EXPECT_THAT(error({"--hypothesis", shorter, "--reference", shorter, "--metrics", "blue"}, 2),
              HasSubstr("--metrics: expected bleu, chrf or chrf++, got 'blue'"));
  EXPECT_THAT(error({"--hypothesis", shorter, "--reference", shorter, "--tokenize", "14a"}, 2),
              HasSubstr("--tokenize: expected 13a, none or char, got '14a'"));
}

}  // namespace
}  // namespace heed::testing
