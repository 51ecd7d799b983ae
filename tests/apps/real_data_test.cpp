// heed on real text: Multi30k, from the folder that HEED_DATA names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "run_heed.h"
#include "support/facts.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;

TEST(RealDataTest, SlowLearnsFromMulti30kAndTranslatesIt) {
  const char* data = std::getenv("HEED_DATA");
  if (!data || !std::filesystem::exists(std::filesystem::path(data) / "multi30k"))
    GTEST_SKIP() << "HEED_DATA names no folder with multi30k/ in it";
  const std::string folder = std::string(data) + "/multi30k/";
  TemporaryFolder work;
  const RunResult trained = run_heed({"train",
                                      "--source",
                                      folder + "train.en.gz",
                                      "--target",
                                      folder + "train.de.gz",
                                      "--valid-source",
                                      folder + "val.en.gz",
                                      "--valid-target",
                                      folder + "val.de.gz",
                                      "--model",
                                      "m",
                                      "--preset",
                                      "tiny",
                                      "--d-model",
                                      "32",
                                      "--d-ff",
                                      "64",
                                      "--tokenizer",
                                      "word",
                                      "--vocabulary-size",
                                      "4000",
                                      "--tie-embeddings",
                                      "all",
                                      "--batch-tokens",
                                      "1024",
                                      "--warmup-steps",
                                      "20",
                                      "--learning-rate",
                                      "1",
                                      "--steps",
                                      "60",
                                      "--report-every",
                                      "10",
                                      "--max-ratio",
                                      "0"},
                                     work.path());
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_THAT(trained.err, HasFacts("train kept 29000 29000 pairs"));
  EXPECT_THAT(trained.err, HasFacts("valid kept 1014 1014 pairs"));
  std::ifstream metrics(work / "m/metrics.jsonl");
  std::vector<double> losses;
  for (std::string line; std::getline(metrics, line);) {
    const auto report = nlohmann::json::parse(line);
    if (report["kind"] == "train") losses.push_back(report["loss"]);
  }
  ASSERT_GE(losses.size(), 6u);
  EXPECT_LT(losses.back(), losses.front() - 1) << "sixty steps take a nat off the loss at least";
  const RunResult scores =
      run_heed({"evaluate", "--model", "m", "--source", folder + "val.en.gz", "--reference",
                folder + "val.de.gz", "--beam", "1", "--max-length", "10", "--json"},
               work.path());
  ASSERT_EQ(scores.status, 0) << scores.err;
  EXPECT_EQ(nlohmann::json::parse(scores.out)[0]["name"], "BLEU");
}

}  // namespace
}  // namespace heed::testing
