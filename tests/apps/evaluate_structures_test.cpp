// heed evaluate, on parse trees.
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

}  // namespace
}  // namespace heed::testing
