#include "small_models.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "run_heed.h"

namespace heed::testing {

namespace fs = std::filesystem;

std::vector<std::string> train_small_model(const std::string& source, const std::string& target,
                                           const std::string& model, const std::string& seed) {
  return {"train", "--source",       source, "--target", target, "--model", model, "--preset",
          "tiny",  "--d-model",      "16",   "--d-ff",   "32",   "--seed",  seed,  "--vocabulary",
          "1500",  "--batch-tokens", "256",  "--steps",  "4",    "--quiet"};
}

void make_small_models(const fs::path& folder) {
  const RunResult book = run_heed({"phrasebook", "--output", ".", "--pairs", "5000",
                                   "--valid-pairs", "20", "--test-pairs", "20"},
                                  folder);
  ASSERT_EQ(book.status, 0) << book.err;
  for (const char* name : {"m", "other"}) {
    const RunResult trained = run_heed(
        train_small_model("train.zh", "train.en", name, name[0] == 'm' ? "1" : "2"), folder);
    ASSERT_EQ(trained.status, 0) << trained.err;
  }
}

// What ctest runs before all tests that need them.
TEST(SmallModels, AreMadeOnce) {
  const char* folder = std::getenv("HEED_SMALL_MODELS");
  if (folder == nullptr) GTEST_SKIP() << "HEED_SMALL_MODELS names no folder to leave them in";
  const fs::path fresh = std::string(folder) + ".new";
  fs::remove_all(fresh);
  fs::create_directories(fresh);
  make_small_models(fresh);
  fs::remove_all(folder);
  fs::rename(fresh, folder);
}

}  // namespace heed::testing
