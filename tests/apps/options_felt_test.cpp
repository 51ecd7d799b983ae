// What options do, beyond the difference that tests/options.txt asks for.
#include "small_model_test.h"

namespace heed::testing {
namespace {

namespace fs = std::filesystem;

class OptionsFeltTest : public SmallModelTest {
 protected:
  static std::string output(const std::vector<std::string>& arguments) {
    const RunResult result = heed(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }
  static int64_t lines_of(const std::string& file) {
    const std::string text = folder_->read(file);
    return std::count(text.begin(), text.end(), '\n');
  }
};

// Without --nbest, which has a form of output of its own, and --min-length: this model never ends.
const std::vector<std::vector<std::string>> kSearchOptions{
    {"--beam", "1"}, {"--length-penalty", "5"}, {"--extra-length", "0"}, {"--max-length", "3"}};

// What evaluate translates by itself is what translate gives with the same options.
TEST_F(OptionsFeltTest, SlowSearchOptionsReachTheEvaluation) {
  const std::vector<std::string> translating{
      "translate", "--model", "m", "--input", "test.zh", "--output", "out", "--compute", "fp32"};
  const std::vector<std::string> scoring{"evaluate",  "--reference", "test.en",
                                         "--metrics", "chrf,ter",    "--json"};
  const auto by_itself =
      with(scoring, {"--model", "m", "--source", "test.zh", "--compute", "fp32"});
  const std::string before = output(by_itself);
  int differ = 0;
  for (const auto& option : kSearchOptions) {
    fs::remove(*folder_ / "out");
    output(with(translating, option));
    const std::string score = output(with(by_itself, option));
    EXPECT_EQ(score, output(with(scoring, {"--hypothesis", "out"}))) << option[0];
    differ += score != before;
  }
  EXPECT_GE(differ, 3);
}

TEST_F(OptionsFeltTest, EvaluateRefusesWhatChangesNothing) {
  const std::vector<std::string> command{"evaluate", "--reference", "test.en"};
  expect_failure(heed(with(command, {"--hypothesis", "test.en", "--beam", "2"})), "--beam --model",
                 2);
  for (const char* option : {"--nbest", "--beam-groups", "--diversity-penalty"})
    expect_failure(heed(with(command, {"--model", "m", "--source", "test.zh", option, "2"})),
                   option, 2);
}

TEST_F(OptionsFeltTest, SlowThePhrasebookIsAsLargeAsAsked) {
  const std::vector<std::string> command{"phrasebook", "--output", "book"};
  output(with(command, {"--pairs", "700", "--valid-pairs", "7", "--test-pairs", "9"}));
  EXPECT_EQ(lines_of("book/train.zh"), 700);
  EXPECT_EQ(lines_of("book/valid.en"), 7);
  EXPECT_EQ(lines_of("book/test.zh"), 9);
  const std::string before = folder_->read("book/train.zh");
  const std::vector<std::string> other{"--pairs", "700", "--seed", "2"};
  expect_failure(heed(with(command, other)), "--overwrite", 2);
  output(with(with(command, other), {"--overwrite"}));
  EXPECT_EQ(lines_of("book/train.zh"), 700);
  EXPECT_NE(folder_->read("book/train.zh"), before);
}

}  // namespace
}  // namespace heed::testing
