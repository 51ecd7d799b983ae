// heed evaluate, on parse trees and labels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "run_heed.h"
#include "support/facts.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class EvaluateStructuresTest : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;

  static RunResult evaluate(const std::string& hypothesis, const std::string& reference,
                            const std::vector<std::string>& options) {
    std::vector<std::string> command{"evaluate", "--hypothesis", hypothesis, "--reference",
                                     reference};
    command.insert(command.end(), options.begin(), options.end());
    return run_heed(command);
  }
};

TEST_F(EvaluateStructuresTest, BracketsAreScoredAndUncomparedTreesTold) {
  const std::string right = folder_.write(
      "right", "(S (NP (DT the) (NN cat)) (VP (VBZ sits)))\n(S (NN a))\n(S (NN b))\n(S (NN c))\n");
  const std::string guess =
      folder_.write("guess", "(S (DT the) (NN cat) (VP (VBZ sits)))\n(S (NN a)\n(S (NN c))\n\n");
  const RunResult text = evaluate(guess, right, {"--metrics", "brackets"});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, StartsWith("bracket F1 = 80.00 (recall = 66.67 precision = 100.00 "));
  EXPECT_THAT(text.out, HasSubstr("sentences = 4 errors = 2 skipped = 1)\n  nrefs:1|"));
  EXPECT_THAT(text.err, HasFacts("warning " + guess + ":2: column 10 ')' 3 4 EVALB 2 1"));
  const RunResult json = evaluate(guess, right, {"--metrics", "brackets", "--json"});
  const auto score = nlohmann::json::parse(json.out)[0];
  EXPECT_EQ(score["details"]["tagging_accuracy"], 100);
  EXPECT_EQ(score["details"]["errors"], 2);
  const RunResult same = evaluate(right, right, {"--metrics", "brackets", "--sentence"});
  EXPECT_THAT(same.err, Not(HasSubstr("warning")));
  EXPECT_EQ(std::count(same.out.begin(), same.out.end(), '\n'), 4);
}

TEST_F(EvaluateStructuresTest, BracketsHaveOneReference) {
  const std::string tree = folder_.write("tree", "(S (NN a))\n");
  const RunResult two = evaluate(tree, tree, {"--reference", tree, "--metrics", "brackets"});
  EXPECT_EQ(two.status, 2);
  EXPECT_THAT(two.err, HasFacts("one reference 2"));
  const RunResult useless = evaluate(tree, tree, {"--brackets-max-words", "40"});
  EXPECT_EQ(useless.status, 2);
  EXPECT_THAT(useless.err, HasFacts("--brackets-max-words brackets bleu"));
}

TEST_F(EvaluateStructuresTest, LabelsAreScored) {
  const std::string right = folder_.write("right", "B-PER I-PER O\nO B-LOC\n");
  const std::string guess = folder_.write("guess", "B-PER I-PER O\nO I-LOC\n");
  const std::vector<std::string> metrics{"--metrics", "accuracy,f1,spans"};
  const RunResult text = evaluate(guess, right, metrics);
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, StartsWith("accuracy = 80.00 (labels = 5)\n  nrefs:1|"));
  EXPECT_THAT(text.out, HasSubstr("\nmacro F1 = 60.00 ("));
  EXPECT_THAT(text.out, HasSubstr("\nspan F1 = 100.00 ("));
  EXPECT_THAT(text.out, Not(HasSubstr("support")));
  const RunResult strict =
      evaluate(guess, right, {"--metrics", "spans", "--span-scheme", "iob2", "--per-class"});
  EXPECT_THAT(strict.out, HasSubstr("span F1 = 66.67 (precision = 100.00 recall = 50.00 "));
  EXPECT_THAT(strict.out, HasSubstr("  class  precision  recall      F1  support\n"
                                    "  LOC         0.00    0.00    0.00        1\n"
                                    "  PER       100.00  100.00  100.00        1\n"));
  const RunResult json = evaluate(guess, right, {"--metrics", "spans", "--json"});
  const auto score = nlohmann::json::parse(json.out)[0];
  EXPECT_EQ(score["details"]["spans"], 2);
  EXPECT_EQ(score["classes"][0]["name"], "LOC");
  EXPECT_EQ(score["classes"][1]["support"], 1);
}

TEST_F(EvaluateStructuresTest, LabelsOfOtherWordsAreRefused) {
  const std::string right = folder_.write("right", "A B\nA B\n");
  const std::string guess = folder_.write("guess", "A B\nA\n");
  const RunResult unequal = evaluate(guess, right, {"--metrics", "accuracy"});
  EXPECT_EQ(unequal.status, 1);
  EXPECT_THAT(unequal.err, HasFacts("line 2 1 reference 2"));
  const RunResult none = evaluate(right, right, {"--metrics", "spans"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasFacts("line 1 'A' B-PER"));
  EXPECT_THAT(evaluate(right, right, {"--metrics", "accuracy", "--per-class"}).err,
              HasFacts("--per-class f1 spans accuracy"));
  EXPECT_THAT(evaluate(right, right, {"--metrics", "f1", "--per-class", "--json"}).err,
              HasFacts("--per-class --json"));
  EXPECT_THAT(evaluate(right, right, {"--metrics", "f1", "--span-scheme", "iob2"}).err,
              HasFacts("--span-scheme spans f1"));
}

}  // namespace
}  // namespace heed::testing
