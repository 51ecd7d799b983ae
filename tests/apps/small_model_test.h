// Two models of seconds, and the program run on them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "run_heed.h"
#include "support/temporary_folder.h"

namespace heed::testing {

// The folder of a test program's tests: train.zh, train.en, the models "m" and "other".
class SmallModelTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::filesystem::permissions(folder_->path(), std::filesystem::perms(0755));
    const RunResult book = heed({"phrasebook", "--output", ".", "--pairs", "5000", "--valid-pairs",
                                 "5", "--test-pairs", "5"});
    ASSERT_EQ(book.status, 0) << book.err;
    for (const char* name : {"m", "other"}) {
      const RunResult trained = heed(train(name, name[0] == 'm' ? "1" : "2"));
      ASSERT_EQ(trained.status, 0) << trained.err;
    }
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static RunResult heed(const std::vector<std::string>& arguments,
                        const Conditions& conditions = {}, const std::string& input = "") {
    return run_heed(arguments, folder_->path(), input, conditions);
  }
  static std::vector<std::string> train(const std::string& model, const std::string& seed = "1") {
    return train_on("train.zh", "train.en", model, seed);
  }
  static std::vector<std::string> train_on(const std::string& source, const std::string& target,
                                           const std::string& model,
                                           const std::string& seed = "1") {
    return {"train", "--source",       source, "--target", target, "--model", model, "--preset",
            "tiny",  "--d-model",      "16",   "--d-ff",   "32",   "--seed",  seed,  "--vocabulary",
            "1500",  "--batch-tokens", "256",  "--steps",  "4",    "--quiet"};
  }
  static std::vector<std::string> translate(const std::string& model) {
    return {"translate", "--model", model, "--max-length", "4"};
  }
  static std::vector<std::string> with(std::vector<std::string> command,
                                       const std::vector<std::string>& more) {
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  // One line that says it, and nothing else.
  static void expect_failure(const RunResult& result, const std::string& part, int status = 1) {
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_THAT(result.err, ::testing::StartsWith("heed: "));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_THAT(result.err, ::testing::HasSubstr(part));
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

}  // namespace heed::testing
