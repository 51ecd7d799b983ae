// What heed train says about its memory, against what it takes.
#include <fmt/ranges.h>

#include <regex>

#include "heed/text/lines.h"
#include "small_model_test.h"
#include "support/sanitized.h"

namespace heed::testing {
namespace {

class TrainingMemoryTest : public SmallModelTest {
 protected:
  static std::vector<std::string> tiny(const std::string& model,
                                       const std::vector<std::string>& more) {
    return with({"train", "--source", "train.zh", "--target", "train.en", "--model", model,
                 "--preset", "tiny", "--vocabulary-size", "1500", "--no-inspect", "--threads", "2"},
                more);
  }
  // The bytes in "memory: 812 MiB: ...".
  static double said(const RunResult& result) {
    std::smatch found;
    const bool has = std::regex_search(
        result.err, found, std::regex("memory: ([0-9.]+) ([GM])iB: weights .*, activations "));
    EXPECT_TRUE(has) << result.err;
    return has ? std::stod(found[1]) * (found[2] == "G" ? 1073741824.0 : 1048576.0) : 0;
  }
};

TEST_F(TrainingMemoryTest, WhatTrainSaysIsWhatItTakes) {
  if (is_sanitized()) GTEST_SKIP() << "sanitizers take memory of their own";
  // A corpus whose text weighs little beside the training: learning the vocabulary is no part of
  // the plan.
  for (const char* compute : {"fp32", "bf16"}) {
    for (const char* batch : {"2048", "8192"}) {
      const std::string model = std::string(compute) + batch;
      const RunResult result = heed(tiny(model, {"--compute", compute, "--batch-tokens", batch,
                                                 "--steps", "6", "--ema", "0.9", "--resume"}));
      ASSERT_EQ(result.status, 0) << result.err;
      EXPECT_NEAR(double(result.peak_memory) / said(result), 1, 0.1) << model << result.err;
    }
  }
}

TEST_F(TrainingMemoryTest, TranslatingToValidateTakesNoMore) {
  if (is_sanitized()) GTEST_SKIP() << "sanitizers take memory of their own";
  for (const std::string language : {"zh", "en"}) {
    std::vector<std::string> lines = read_lines(folder_->path() / ("train." + language));
    lines.resize(400);
    folder_->write("some." + language, fmt::format("{}\n", fmt::join(lines, "\n")));
  }
  const RunResult result =
      heed(tiny("scored", {"--batch-tokens", "512", "--steps", "6", "--valid-source", "some.zh",
                           "--valid-target", "some.en", "--validation-metric", "bleu"}));
  ASSERT_EQ(result.status, 0) << result.err;
  std::smatch found;
  const bool more =
      std::regex_search(result.err, found, std::regex("; before the first step ([0-9.]+) MiB"));
  const double before = more ? std::stod(found[1]) * 1048576.0 : 0;
  EXPECT_LT(double(result.peak_memory), 1.1 * std::max(said(result), before)) << result.err;
}

TEST_F(TrainingMemoryTest, WhatCannotFitIsRefusedBeforeItBegins) {
  if (is_sanitized()) GTEST_SKIP() << "sanitizers take addresses of their own";
  Conditions tight;
  tight.memory = int64_t{500} << 20;
  const std::vector<std::string> large = {"--batch-tokens", "30000", "--steps", "1"};
  const RunResult refused = heed(tiny("large", large), tight);
  EXPECT_EQ(refused.status, 1) << refused.err;
  // A heap for each thread would take 64 MiB of these addresses, or twice that: a matter of timing,
  // so that what one run says would not fit in the next.
  std::smatch left, fitting;
  ASSERT_TRUE(std::regex_search(refused.err, left,
                                std::regex("more memory and ulimit -v has ([0-9]+) MiB left")))
      << refused.err;
  EXPECT_GT(std::stoi(left[1]), 500 - 64) << refused.err;
  ASSERT_TRUE(std::regex_search(refused.err, fitting, std::regex("--batch-tokens ([0-9]+) would")))
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(*folder_ / "large/model.safetensors"));
  const RunResult smaller =
      heed(tiny("large", {"--batch-tokens", fitting[1], "--steps", "1"}), tight);
  EXPECT_EQ(smaller.status, 0) << smaller.err;
  // Who knows better may try.
  const RunResult tried = heed(tiny("tried", with(large, {"--no-memory-check"})), tight);
  EXPECT_EQ(tried.err.find("ulimit"), std::string::npos) << tried.err;
}

}  // namespace
}  // namespace heed::testing
