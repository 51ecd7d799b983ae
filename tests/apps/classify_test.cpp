// heed tag and heed classify on models of seconds.
#include <nlohmann/json.hpp>
#include <sstream>

#include "small_model_test.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ClassifyTest : public SmallModelTest {
 protected:
  static std::vector<std::string> split_lines(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
  }
};

TEST_F(ClassifyTest, TagsEveryWordAndKeepsEveryLine) {
  const RunResult result =
      heed({"tag", "--model", "tagger"}, {}, "one TWO  three\n\n FOUR\none\tTWO \u4f60\n");
  ASSERT_EQ(result.status, 0) << result.err;
  const std::vector<std::string> lines = split_lines(result.out);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "one TWO three\tlow UP low");
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2], "FOUR\tUP");
  EXPECT_THAT(lines[3], ::testing::StartsWith("one TWO \u4f60\tlow UP "));
  EXPECT_THAT(result.err, HasSubstr("characters that the training text did not have"));
  const RunResult tags = heed({"tag", "--model", "tagger", "--format", "tags"}, {}, "one TWO\n");
  EXPECT_EQ(tags.out, "low UP\n");
  const RunResult json = heed({"tag", "--model", "tagger", "--format", "jsonl"}, {}, "one TWO\n");
  const auto object = nlohmann::json::parse(json.out);
  EXPECT_EQ(object["words"], nlohmann::json({"one", "TWO"}));
  EXPECT_EQ(object["labels"], nlohmann::json({"low", "UP"}));
  EXPECT_GT(object["probabilities"][1], 0.5);
  EXPECT_EQ(object["status"], "ok");
}

TEST_F(ClassifyTest, ClassifiesEveryLine) {
  const RunResult result =
      heed({"classify", "--model", "classifier"}, {}, "one TWO\n\nTWO three FOUR\n");
  ASSERT_EQ(result.status, 0) << result.err;
  const std::vector<std::string> lines = split_lines(result.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "YES");
  EXPECT_EQ(lines[2], "NO");
  const auto json = nlohmann::json::parse(
      heed({"classify", "--model", "classifier", "--format", "jsonl"}, {}, "\n").out);
  EXPECT_EQ(json["status"], "empty");
  EXPECT_FALSE(json["label"].get<std::string>().empty());
}

TEST_F(ClassifyTest, TrainingAdvisesCommandsThatWork) {
  for (const auto& [task, text] :
       {std::pair<std::string, std::string>{"tag", "tagged.tsv"}, {"classify", "classified.tsv"}}) {
    const RunResult trained = heed(
        {"train", "--task", task, "--tsv", text, "--model", "advised-" + task, "--hold-out", "5",
         "--preset", "tiny", "--tokenizer", "char", "--vocabulary-size", "40", "--steps", "2"});
    ASSERT_EQ(trained.status, 0) << trained.err;
    EXPECT_THAT(trained.err, HasSubstr("accuracy"));
    EXPECT_THAT(trained.err, ::testing::Not(HasSubstr("translat")));
    int64_t commands = 0;
    for (const std::string& line : split_lines(trained.err)) {
      if (!line.starts_with("  ") || line.find("advised-") == line.npos) continue;
      for (size_t at = 0; at != std::string::npos;) {
        const size_t end = line.find(" && ", at);
        std::istringstream stream(line.substr(at, end == line.npos ? end : end - at));
        at = end == line.npos ? end : end + 4;
        std::vector<std::string> words;
        for (std::string word; stream >> word;) words.push_back(word);
        words.erase(words.begin());  // the program
        const RunResult result = heed(words);
        EXPECT_EQ(result.status, 0) << line << "\n" << result.err;
        ++commands;
      }
    }
    EXPECT_EQ(commands, 4);
  }
}

TEST_F(ClassifyTest, BadInputGetsOneSentence) {
  expect_failure(heed({"tag", "--model", "classifier"}, {}, "a\n"), "classifier expected a tagger");
  expect_failure(heed({"classify", "--model", "tagger"}, {}, "a\n"),
                 "tagger expected a classifier");
  expect_failure(heed({"tag", "--model", "m"}, {}, "a\n"), "translates expected a tagger");
  expect_failure(heed({"translate", "--model", "tagger"}, {}, "a\n"), "tagger heed tag");
  expect_failure(heed({"generate", "--model", "tagger"}, {}, "a\n"), "tagger heed tag");
  expect_failure(heed({"tag", "--model", "tagger", "--strict"}, {}, "a\n\xff\n"), "line 2 UTF-8");
  folder_->write("short.tags", "low\n");
  folder_->write("short.words", "one two\n");
  expect_failure(heed({"train", "--task", "tag", "--source", "short.words", "--target",
                       "short.tags", "--model", "never"}),
                 "short.words short.tags");
}

TEST_F(ClassifyTest, TheirModelsAreInspectedAveragedAndQuantized) {
  for (const std::string model : {"tagger", "classifier"}) {
    const RunResult page = heed({"inspect", "model", model, "--html", model + ".html"});
    ASSERT_EQ(page.status, 0) << page.err;
    EXPECT_THAT(page.out, HasSubstr("Encoder (3.1), 2 layers"));
    EXPECT_THAT(page.out, ::testing::Not(HasSubstr("Decoder")));
    const RunResult averaged = heed({"average", model, model, "--output", model + "-mean"});
    ASSERT_EQ(averaged.status, 0) << averaged.err;
    const RunResult quantized = heed({"quantize", "--model", model, "--output", model + "-small"});
    ASSERT_EQ(quantized.status, 0) << quantized.err;
    for (const char* end : {"-mean", "-small"}) {
      const RunResult result =
          heed({model == "tagger" ? "tag" : "classify", "--model", model + end}, {}, "one\n");
      EXPECT_EQ(result.status, 0) << result.err;
      EXPECT_EQ(result.out, model == "tagger" ? "one\tlow\n" : "YES\n");
    }
  }
}

}  // namespace
}  // namespace heed::testing
