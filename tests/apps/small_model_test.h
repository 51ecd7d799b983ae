// The program, run on two models of seconds.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "run_heed.h"
#include "small_models.h"
#include "support/facts.h"
#include "support/temporary_folder.h"

namespace heed::testing {

// The folder of a test program's tests: what small_models.h says. ctest has it made once for all of
// them (HEED_SMALL_MODELS); a test that is run by hand makes its own.
class SmallModelTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::filesystem::permissions(folder_->path(), std::filesystem::perms(0755));
    if (const char* made = std::getenv("HEED_SMALL_MODELS"))
      std::filesystem::copy(made, folder_->path(), std::filesystem::copy_options::recursive);
    else
      make_small_models(folder_->path());
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static RunResult heed(const std::vector<std::string>& arguments,
                        const Conditions& conditions = {}, const std::string& input = "") {
    return run_heed(arguments, folder_->path(), input, conditions);
  }
  static std::vector<std::string> train(const std::string& model,
                                        const std::string& seed = kSmallModelSeed) {
    return train_small_model("train.zh", "train.en", model, seed);
  }
  static std::vector<std::string> train_on(const std::string& source, const std::string& target,
                                           const std::string& model) {
    return train_small_model(source, target, model, kSmallModelSeed);
  }
  static std::vector<std::string> translate(const std::string& model) {
    return {"translate", "--model", model, "--max-length", "4"};
  }
  static std::vector<std::string> with(std::vector<std::string> command,
                                       const std::vector<std::string>& more) {
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  // One line that says it, and nothing else but warnings before it.
  static void expect_failure(const RunResult& result, const std::string& facts, int status = 1) {
    EXPECT_EQ(result.status, status) << result.err;
    std::string error = result.err;
    while (error.starts_with("heed: warning: ")) error.erase(0, error.find('\n') + 1);
    EXPECT_THAT(error, ::testing::StartsWith("heed: "));
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << result.err;
    EXPECT_THAT(error, HasFacts(facts));
  }

  static void expect_nothing_half_written(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      EXPECT_NE(entry.path().extension(), ".partial") << entry.path();
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

}  // namespace heed::testing
