// Options of the program that no other test would miss: each run differs from the one without it.
// (Those of heed train: tests/train/train_options_test.cpp.)
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "small_model_test.h"

namespace heed::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST_F(OptionsFeltTest, SearchOptionsReachTheTranslation) {
  const std::vector<std::string> command{"translate", "--model", "m",         "--input", "test.zh",
                                         "--format",  "jsonl",   "--compute", "fp32"};
  const std::string before = output(command);
  for (const auto& option : kSearchOptions)
    EXPECT_NE(output(with(command, option)), before) << option[0];
}

// What evaluate translates by itself is what translate gives with the same options.
TEST_F(OptionsFeltTest, SearchOptionsReachTheEvaluation) {
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
  expect_failure(heed(with(command, {"--hypothesis", "test.en", "--beam", "2"})),
                 "--beam changes nothing: there is no --model", 2);
  expect_failure(heed(with(command, {"--model", "m", "--source", "test.zh", "--nbest", "2"})),
                 "--nbest changes nothing", 2);
}

TEST_F(OptionsFeltTest, StrictReachesTheEvaluation) {
  folder_->write("broken", "good\nbad \xff\n");
  folder_->write("whole", "good\nbad\n");
  const std::vector<std::string> command{"evaluate", "--model",      "m",
                                         "--source", "broken",       "--reference",
                                         "whole",    "--max-length", "3"};
  EXPECT_EQ(heed(command).status, 0);
  expect_failure(heed(with(command, {"--strict", "--quiet"})), "broken:2:");
}

// What matrix products compute in stands in the name of the backend.
TEST_F(OptionsFeltTest, TrainingAndTranslatingComputeInWhatIsAsked) {
  const auto backend = [](const std::vector<std::string>& command) {
    const RunResult result = heed(with(command, {"--no-quiet"}));
    EXPECT_EQ(result.status, 0) << result.err;
    const size_t begin = result.err.find(" cpu (");
    return result.err.substr(begin, result.err.find(')', begin) - begin);
  };
  const std::vector<std::string> evaluate{"evaluate", "--model",      "m",
                                          "--source", "test.zh",      "--reference",
                                          "test.en",  "--max-length", "3"};
  for (const std::string type : {"fp32", "bf16"}) {
    for (const auto& command : {with(train("new"), {"--overwrite"}), evaluate}) {
      const std::string name = backend(with(command, {"--compute", type}));
      EXPECT_EQ(name.find(", bf16") != name.npos, type == "bf16") << name;
    }
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// (A sanitizer must be the first library.) The file holds a byte for each thread that began.
TEST_F(OptionsFeltTest, AsManyThreadsWorkAsWereAskedFor) {
  const std::string counted = (*folder_ / "threads").string();
  setenv("HEED_THREADS_FILE", counted.c_str(), 1);
  const auto threads = [&](const std::vector<std::string>& command, const char* count) {
    fs::remove(counted);
    const RunResult result =
        heed(with(command, {"--threads", count}), {.preload = HEED_THREAD_COUNTER});
    EXPECT_EQ(result.status, 0) << result.err;
    return fs::exists(counted) ? int64_t(fs::file_size(counted)) : 0;
  };
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           with(train("new"), {"--overwrite"}),
           {"translate", "--model", "m", "--input", "test.zh", "--max-length", "3"},
           {"evaluate", "--model", "m", "--source", "test.zh", "--reference", "test.en",
            "--max-length", "3"},
           {"score", "--model", "m", "--source", "test.zh", "--target", "test.en"},
           {"quantize", "--model", "m", "--output", "q", "--overwrite", "--source", "test.zh"},
           {"inspect", "data", "train.zh", "train.en"},
           {"bench", "--part", "training", "--preset", "tiny", "--vocabulary", "300", "--seconds",
            "0.01", "--batch-tokens", "60"}})
    EXPECT_GE(threads(command, "4"), threads(command, "2") + 2) << command[0];
  unsetenv("HEED_THREADS_FILE");
}

TEST_F(OptionsFeltTest, MemoryIsCheckedUnlessToldOtherwise) {
  const auto large = with(train("large"), {"--d-model", "512", "--d-ff", "2048", "--overwrite"});
  const Conditions little{.memory = int64_t{300} << 20};
  EXPECT_THAT(heed(large, little).err, HasSubstr("the training needs"));
  const RunResult unchecked = heed(with(large, {"--no-memory-check"}), little);
  EXPECT_NE(unchecked.status, 0);
  EXPECT_THAT(unchecked.err, Not(HasSubstr("the training needs")));
}
#endif

TEST_F(OptionsFeltTest, QuantizeReplacesWhenAsked) {
  const std::vector<std::string> command{"quantize", "--model", "m",
                                         "--output", "small",   "--quiet"};
  EXPECT_EQ(heed(command).status, 0);
  const std::string before = folder_->read("small/model.safetensors");
  EXPECT_EQ(heed(command).status, 2);
  EXPECT_EQ(heed(with(command, {"--overwrite", "--type", "bf16"})).status, 0);
  EXPECT_NE(folder_->read("small/model.safetensors"), before);
}

TEST_F(OptionsFeltTest, ThePhrasebookIsAsLargeAsAsked) {
  const std::vector<std::string> command{"phrasebook", "--output", "book"};
  output(with(command, {"--pairs", "700", "--valid-pairs", "7", "--test-pairs", "9"}));
  EXPECT_EQ(lines_of("book/train.zh"), 700);
  EXPECT_EQ(lines_of("book/valid.en"), 7);
  EXPECT_EQ(lines_of("book/test.zh"), 9);
  const std::string before = folder_->read("book/train.zh");
  const std::vector<std::string> other{"--pairs", "700", "--seed", "2"};
  expect_failure(heed(with(command, other)), "--overwrite");
  output(with(with(command, other), {"--overwrite"}));
  EXPECT_EQ(lines_of("book/train.zh"), 700);
  EXPECT_NE(folder_->read("book/train.zh"), before);
}

TEST_F(OptionsFeltTest, BenchMeasuresTheModelThatWasAskedFor) {
  const std::vector<std::string> command{"bench", "--part",    "kernels", "--vocabulary",
                                         "300",   "--seconds", "0.001",   "--preset",
                                         "tiny",  "--json"};
  const std::string kernels = output(with(command, {"--compute", "fp32"}));
  EXPECT_THAT(kernels, HasSubstr("(512, 128)"));  // d_ff and d_model of tiny
  EXPECT_THAT(kernels, HasSubstr("(299, 128)"));
  EXPECT_THAT(kernels, Not(AnyOf(HasSubstr("bf16"), HasSubstr("int8"))));
  EXPECT_THAT(output(with(command, {"--compute", "bf16"})), HasSubstr("bf16 y = x"));
}

TEST_F(OptionsFeltTest, BenchMeasuresAsLongAsAsked) {
  const auto begin = std::chrono::steady_clock::now();
  output({"bench", "--part", "training", "--preset", "tiny", "--vocabulary", "300", "--seconds",
          "3", "--batch-tokens", "60", "--length", "6", "--threads", "1"});
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
}

// It learns too little in this time to be worth reading.
TEST_F(OptionsFeltTest, SlowDemoTakesItsFolderTimeAndThreads) {
  const RunResult result =
      heed({"demo", "--directory", "shown", "--minutes", "0.003", "--threads", "1"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("on 1 threads"));
  EXPECT_THAT(result.out, HasSubstr("1000 sentences that it never saw: BLEU"));
  EXPECT_TRUE(fs::exists(*folder_ / "shown/model/model.safetensors"));
}

TEST_F(OptionsFeltTest, PagesAreJsonWhereAsked) {
  const auto version = nlohmann::json::parse(output({"version", "--json"}));
  EXPECT_TRUE(version.is_object());
  EXPECT_THAT(output({"version"}), Not(EndsWith("}\n")));
  const std::vector<std::string> tiny{"inspect", "model", "tiny", "--json"};
  EXPECT_EQ(nlohmann::json::parse(output(tiny))["vocabulary"], 37000);
  EXPECT_EQ(nlohmann::json::parse(output(with(tiny, {"--vocabulary", "500"})))["vocabulary"], 500);
}

}  // namespace
}  // namespace heed::testing
