// heed parse on a model of seconds.
#include <nlohmann/json.hpp>
#include <sstream>

#include "heed/text/linear_tree.h"
#include "small_model_test.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;

class ParseTest : public SmallModelTest {
 protected:
  static std::vector<std::string> split_lines(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
  }
  static std::string words(const std::string& tree) {
    std::string all;
    for (const std::string& word : linear_tree(parse_tree(tree, "output")).words)
      all += (all.empty() ? "" : " ") + word;
    return all;
  }
};

TEST_F(ParseTest, PrintsATreeOverTheWordsOfEveryLine) {
  const RunResult result =
      heed({"parse", "--model", "parser"}, {},
           "we see  the\tcat .\n\n ( \xF0\x9F\x98\x80 \u200b\na \xff\r\nthe cat");
  ASSERT_EQ(result.status, 0) << result.err;
  const std::vector<std::string> lines = split_lines(result.out);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(words(lines[0]), "we see the cat .");
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(words(lines[2]), "-LRB- \xF0\x9F\x98\x80 \u200b");
  EXPECT_EQ(words(lines[3]), "a \xEF\xBF\xBD");
  EXPECT_EQ(words(lines[4]), "the cat");
  for (const char* warning : {"invalid UTF-8", "characters that the training text did not have"})
    EXPECT_THAT(result.err, HasSubstr(warning));
}

TEST_F(ParseTest, ManyLinesAreTheSameInAnyBatchAndOnAnyThreads) {
  std::string input;
  for (int i = 0; i < 300; ++i)
    input += std::string(i % 3 == 0 ? "we see " : "") + (i % 7 == 0 ? "\n" : "the cat .\n");
  const std::vector<std::string> base = {"parse", "--model", "parser", "--quiet"};
  const RunResult one = heed(with(base, {"--threads", "1"}), {}, input);
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(split_lines(one.out).size(), 300u);
  EXPECT_EQ(heed(with(base, {"--threads", "3", "--batch-tokens", "40"}), {}, input).out, one.out);
  const RunResult drawn =
      heed(with(base, {"--threads", "1", "--sample", "--temperature", "3"}), {}, input);
  EXPECT_NE(drawn.out, one.out);
  EXPECT_EQ(
      heed(with(base, {"--threads", "3", "--sample", "--temperature", "3", "--batch-tokens", "40"}),
           {}, input)
          .out,
      drawn.out);
}

TEST_F(ParseTest, JsonHasAllTreesWithScores) {
  const RunResult result =
      heed({"parse", "--model", "parser", "--format", "jsonl", "--nbest", "3"}, {}, "we see\n\n");
  ASSERT_EQ(result.status, 0) << result.err;
  const std::vector<std::string> lines = split_lines(result.out);
  ASSERT_EQ(lines.size(), 2u);
  const auto object = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(words(object["tree"]), "we see");
  EXPECT_EQ(object["status"], "ok");
  ASSERT_EQ(object["nbest"].size(), 3u);
  EXPECT_EQ(object["nbest"][0]["tree"], object["tree"]);
  EXPECT_NE(object["nbest"][1]["tree"], object["tree"]);
  EXPECT_LE(object["nbest"][2]["score"], object["nbest"][1]["score"]);
  const auto empty = nlohmann::json::parse(lines[1]);
  EXPECT_EQ(empty["tree"], "");
  EXPECT_EQ(empty["status"], "empty");
}

TEST_F(ParseTest, TheWordsOfATreebankAreParsedAndScored) {
  const RunResult result =
      heed({"parse", "--model", "parser", "--trees", "bank.trees", "--output", "parsed.trees"});
  ASSERT_EQ(result.status, 0) << result.err;
  const RunResult scored = heed({"evaluate", "--hypothesis", "parsed.trees", "--reference",
                                 "bank.trees", "--metrics", "brackets"});
  ASSERT_EQ(scored.status, 0) << scored.err;
  EXPECT_THAT(scored.out, HasSubstr("errors = 0 skipped = 0"));
}

TEST_F(ParseTest, TrainingAdvisesCommandsThatWork) {
  const RunResult trained = heed({"train", "--task", "parse", "--trees", "bank.trees", "--model",
                                  "advised", "--hold-out", "5", "--preset", "tiny", "--tokenizer",
                                  "char", "--vocabulary-size", "40", "--steps", "2"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_THAT(trained.err, ::testing::Not(HasSubstr("translat")));
  EXPECT_EQ(split_lines(folder_->read("advised/held_out.trees")).size(), 5u);
  int64_t commands = 0;
  for (const std::string& line : split_lines(trained.err)) {
    if (!line.starts_with("  ") || line.find("advised") == line.npos) continue;
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
  EXPECT_EQ(commands, 3);
}

TEST_F(ParseTest, BadInputGetsOneSentence) {
  expect_failure(heed({"parse", "--model", "m"}, {}, "a\n"), "translates expected a parser");
  expect_failure(heed({"parse", "--model", "tagger"}, {}, "a\n"), "tagger expected a parser");
  for (const char* command : {"translate", "generate", "tag", "classify"})
    expect_failure(heed({command, "--model", "parser"}, {}, "a\n"), "parser heed parse");
  expect_failure(
      heed({"evaluate", "--model", "parser", "--source", "test.zh", "--reference", "test.en"}),
      "parser heed parse");
  expect_failure(heed({"parse", "--model", "parser", "--strict"}, {}, "a\n\xff\n"), "line 2 UTF-8");
  expect_failure(heed({"parse", "--model", "parser", "--nbest", "2"}, {}, "a\n"),
                 "--nbest 2 --format jsonl", 2);
  expect_failure(heed({"parse", "--model", "parser", "--trees", "bank.trees", "--input", "x"}),
                 "--trees --input", 2);
  folder_->write("damaged.trees", "(ROOT (NN a))\n(ROOT (NN a)\n");
  for (const RunResult& result :
       {heed({"parse", "--model", "parser", "--trees", "damaged.trees"}),
        heed({"train", "--task", "parse", "--trees", "damaged.trees", "--model", "never"})})
    expect_failure(result, "damaged.trees:2 column 13");
}

TEST_F(ParseTest, AParserIsInspectedAveragedAndQuantized) {
  const RunResult page = heed({"inspect", "model", "parser", "--html", "parser.html"});
  ASSERT_EQ(page.status, 0) << page.err;
  const RunResult averaged = heed({"average", "parser", "parser", "--output", "parser-mean"});
  ASSERT_EQ(averaged.status, 0) << averaged.err;
  const RunResult quantized = heed({"quantize", "--model", "parser", "--output", "parser-small"});
  ASSERT_EQ(quantized.status, 0) << quantized.err;
  for (const char* model : {"parser-mean", "parser-small"}) {
    const RunResult result = heed({"parse", "--model", model}, {}, "the cat\n");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(words(split_lines(result.out).at(0)), "the cat");
  }
}

}  // namespace
}  // namespace heed::testing
