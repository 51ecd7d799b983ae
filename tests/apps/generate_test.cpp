// heed generate, and what else the program does with a language model of seconds.
#include <nlohmann/json.hpp>
#include <sstream>

#include "small_model_test.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class GenerateTest : public SmallModelTest {
 protected:
  static RunResult generate(const std::vector<std::string>& more, const std::string& input = "") {
    return heed(with({"generate", "--model", "lm"}, more), {}, input);
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
  }
};

// Every command that training advises works as it stands there.
TEST_F(GenerateTest, TrainingAdvisesCommandsThatWork) {
  const RunResult trained = heed(with(train_small_language_model("advised"), {"--steps", "2"}));
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_THAT(trained.err, HasFacts("generate --model advised score advised/held_out.text"));
  for (const char* other : {"pair", "translat", "target"})
    EXPECT_THAT(trained.err, ::testing::Not(HasSubstr(other)));
  int64_t commands = 0;
  for (const std::string& line : lines_of(trained.err)) {
    if (!line.starts_with("  ") || line.find(" advised") == line.npos) continue;
    ++commands;
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    words.erase(words.begin());  // the program
    const RunResult result = heed(words);
    EXPECT_EQ(result.status, 0) << line << "\n" << result.err;
    EXPECT_THAT(result.out, ::testing::Not(IsEmpty())) << line;
  }
  EXPECT_EQ(commands, 3);
}

TEST_F(GenerateTest, BeginsWithThePromptByteForByte) {
  const std::vector<std::string> prompts = {
      "He is",           "She  likes", " They",         "I am ",   "",         "You 你好",
      "It is \tnot",     "x",          "We are \u3000", "The red", "a\u0301é", "2024 is 3.14 \"",
      "Nobody has ever…"};
  std::string input;
  for (const std::string& prompt : prompts) input += prompt + "\n";
  const RunResult result = generate({"--extra-length", "6"}, input);
  ASSERT_EQ(result.status, 0) << result.err;
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), prompts.size());
  int64_t longer = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_THAT(lines[i], StartsWith(prompts[i]));
    longer += lines[i].size() > prompts[i].size() ? 1 : 0;
  }
  EXPECT_GT(longer, 6);
  EXPECT_THAT(result.err, HasSubstr("characters that the training text did not have"));
}

// Where little room is left, too, and after whatever the tokenizer reads as white space.
TEST_F(GenerateTest, NoRoomCutsAPrompt) {
  std::string input;
  const std::vector<std::string> prompts = {
      "Does their boss rest", "hippopotamus", "My sister", "\u0130stanbul",
      "Where did the\u2581",  "I\t",          "a\u00a0b"};
  for (const std::string& prompt : prompts) input += prompt + "\n";
  for (const char* beam : {"1", "4"})
    for (const char* extra : {"1", "2", "3"}) {
      const RunResult result = generate({"--beam", beam, "--extra-length", extra}, input);
      ASSERT_EQ(result.status, 0) << result.err;
      const std::vector<std::string> lines = lines_of(result.out);
      ASSERT_EQ(lines.size(), prompts.size());
      for (size_t i = 0; i < lines.size(); ++i) EXPECT_THAT(lines[i], StartsWith(prompts[i]));
    }
  const RunResult crlf = generate({"--extra-length", "4"}, "He is\r\nHe is\n");
  ASSERT_EQ(lines_of(crlf.out).size(), 2u);
  EXPECT_EQ(lines_of(crlf.out)[0], lines_of(crlf.out)[1]);
  const RunResult unknown = generate({"--format", "jsonl"}, "a\u00a0b\n");
  EXPECT_EQ(nlohmann::json::parse(unknown.out)["unknown_characters"], nlohmann::json({"\u00a0"}));
}

// A result depends on its prompt alone, whatever the batch, the threads and the other prompts.
TEST_F(GenerateTest, OtherPromptsChangeNothing) {
  const std::vector<std::string> prompts = {"He is",        "",  "She likes the", "I",
                                            "They are not", "We"};
  for (const std::vector<std::string>& search :
       {std::vector<std::string>{"--beam", "3"}, {"--sample", "--top-k", "20", "--seed", "3"}}) {
    std::string alone, input;
    for (int repeated = 0; repeated < 5; ++repeated)
      for (const std::string& prompt : prompts) {
        input += prompt + "\n";
        if (repeated == 0) {
          const RunResult one = generate(search, prompt + "\n");
          ASSERT_EQ(one.status, 0) << one.err;
          alone += one.out;
        }
      }
    std::string expected;
    for (int repeated = 0; repeated < 5; ++repeated) expected += alone;
    for (const std::vector<std::string>& batch :
         {std::vector<std::string>{"--threads", "1"}, {"--threads", "2", "--batch-tokens", "8"}})
      EXPECT_EQ(generate(with(search, batch), input).out, expected);
  }
}

TEST_F(GenerateTest, JsonSaysHowItCameAbout) {
  const RunResult result =
      generate({"--format", "jsonl", "--nbest", "2", "--beam", "2", "--prompt", "He is 好"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = nlohmann::json::parse(result.out);
  EXPECT_THAT(object["text"].get<std::string>(), StartsWith("He is 好"));
  EXPECT_THAT(object["status"].get<std::string>(), HasSubstr("unknown_characters"));
  EXPECT_EQ(object["unknown_characters"], nlohmann::json({"好"}));
  ASSERT_EQ(object["nbest"].size(), 2u);
  EXPECT_EQ(object["nbest"][0]["text"], object["text"]);
  EXPECT_GE(object["score"], object["nbest"][1]["score"]);
  EXPECT_FALSE(object.contains("translation"));
}

TEST_F(GenerateTest, APromptWithoutRoomIsTheResult) {
  std::string prompt = "He is";
  for (int i = 0; i < 600; ++i) prompt += " not";
  const RunResult result = generate({"--format", "jsonl"}, prompt + "\nHe\n");
  ASSERT_EQ(result.status, 0) << result.err;
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(lines[0])["text"], prompt);
  EXPECT_EQ(nlohmann::json::parse(lines[0])["status"], "prefix_too_long");
  EXPECT_THAT(result.err, HasSubstr("leaves no room"));
  expect_failure(generate({"--strict"}, prompt + "\n"), "line 1 602 tokens at most 512 shorten");
  expect_failure(generate({"--strict", "--max-length", "2"}, "He is not\n"),
                 "line 1 at most 2 --max-length");
}

TEST_F(GenerateTest, BadInputGetsOneSentence) {
  expect_failure(generate({"--nbest", "2", "--prompt", "He"}), "--nbest 2 jsonl", 2);
  expect_failure(generate({"--prompt", "He", "--input", "train.en"}), "--prompt --input", 2);
  expect_failure(generate({"--prompt", "He\nis"}), "--prompt one line", 2);
  expect_failure(generate({"--input", "nothing"}), "nothing No such file");
  expect_failure(generate({"--strict"}, "He\xff\n"), "line 1 UTF-8 byte 3");
  expect_failure(heed({"generate", "--model", "m", "--prompt", "He"}),
                 "m a model that translates expected a language model");
  expect_failure(heed({"translate", "--model", "lm"}, {}, "He\n"),
                 "lm a language model translates");
  expect_failure(heed({"score", "--model", "lm", "--source", "train.zh", "--target", "train.en"}),
                 "lm language model score --text");
  expect_failure(heed({"score", "--model", "m", "--text", "train.en"}), "m translates");
  expect_failure(heed({"score", "--model", "lm", "--text", "train.en", "--source", "train.zh"}),
                 "--text contradicts --source", 2);
  EXPECT_EQ(generate({}, "").out, "");
}

TEST_F(GenerateTest, ScoresAreThoseOfItsValidation) {
  const RunResult result =
      heed({"score", "--model", "lm", "--text", "lm/held_out.text", "--format", "corpus"});
  ASSERT_EQ(result.status, 0) << result.err;
  const double perplexity = nlohmann::json::parse(result.out)["perplexity"];
  const std::vector<std::string> log = lines_of(folder_->read("lm/metrics.jsonl"));
  EXPECT_NEAR(nlohmann::json::parse(log.back())["perplexity"], perplexity, 1e-6 * perplexity);
  const RunResult empty = heed({"score", "--model", "lm", "--text", "-"}, {}, "He is\n\n");
  EXPECT_EQ(lines_of(empty.out).size(), 2u);
  EXPECT_THAT(empty.err, HasFacts("1 of 2 lines: empty"));
}

// The commands that take any model.
TEST_F(GenerateTest, ALanguageModelIsInspectedAveragedAndQuantized) {
  const RunResult page = heed({"inspect", "model", "lm", "--html", "lm.html"});
  ASSERT_EQ(page.status, 0) << page.err;
  EXPECT_THAT(page.out, HasSubstr("Decoder (3.1), 2 layers"));
  EXPECT_THAT(page.out, ::testing::Not(HasSubstr("Encoder")));
  const auto json = nlohmann::json::parse(heed({"inspect", "model", "lm", "--json"}).out);
  const RunResult averaged = heed({"average", "lm", "lm", "--output", "lm-mean"});
  ASSERT_EQ(averaged.status, 0) << averaged.err;
  EXPECT_EQ(folder_->read("lm-mean/model.safetensors"), folder_->read("lm/model.safetensors"));
  const RunResult quantized = heed({"quantize", "--model", "lm", "--output", "small"});
  ASSERT_EQ(quantized.status, 0) << quantized.err;
  for (const char* model : {"lm-mean", "small"}) {
    const RunResult result = heed({"generate", "--model", model, "--prompt", "He is"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, StartsWith("He is"));
  }
}

}  // namespace
}  // namespace heed::testing
