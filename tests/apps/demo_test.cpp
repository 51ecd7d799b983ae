// The training of heed demo.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <vector>

#include "commands/phrasebook.h"
#include "heed/core/utf8.h"
#include "heed/text/tokenizer.h"
#include "heed/text/tokenizer_training.h"
#include "run_heed.h"
#include "support/facts.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

using ::testing::Not;

// It learns its vocabulary from a sample.
TEST(DemoTest, SoakItsVocabularyHasEveryCharacterOfThePhrasebook) {
  const TemporaryFolder folder;
  write_phrasebook({.pairs = 150'000, .output = folder.path().string(), .overwrite = true});
  const TokenizerOptions options = demo_training(folder.path(), 2).tokenizer;
  EXPECT_LT(options.vocabulary_lines, 300'000);
  const JointModels models =
      train_joint_tokenizer(options, {folder / "train.zh"}, {folder / "train.en"});
  const auto pair = TokenizerPair::joint_sides(models.source, models.target);
  for (const auto& [name, side] :
       {std::pair("train.zh", &pair.source()), {"train.en", &pair.target()}}) {
    const std::string text = folder.read(name);
    std::vector<bool> seen(0x110000);
    std::vector<std::string> characters;
    for (size_t at = 0; at < text.size();) {
      const Utf8Character next = first_utf8_character(std::string_view(text).substr(at));
      if (!seen[next.value]) characters.push_back(text.substr(at, next.bytes));
      seen[next.value] = true;
      at += next.bytes;
    }
    EXPECT_GT(characters.size(), 40u);
    for (const std::string& character : characters) {
      const std::vector<TokenId> ids = side->encode(character);
      EXPECT_EQ(std::count(ids.begin(), ids.end(), side->unknown_id()), 0) << character;
    }
  }
}

TEST(DemoTest, AFolderWithOtherFilesIsRefused) {
  const TemporaryFolder folder;
  folder.write("train.zh", "mine\n");
  for (const auto& [directory, status] : {std::pair(".", 2), {"train.zh", 1}}) {
    const RunResult result = run_heed({"demo", "--directory", directory}, folder.path());
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_THAT(result.err, HasFacts(directory));
  }
  EXPECT_EQ(folder.read("train.zh"), "mine\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "train.en"));
}

// It has no --resume: what it says after Ctrl-C must be something that it can do.
TEST(DemoTest, SoakAStoppedRunNamesWhatCanBeDoneWithIt) {
  const TemporaryFolder folder;
  RunningHeed heed({"demo", "--directory", "d"}, folder.path());
  await_message(heed, "step ");
  heed.send(SIGINT);
  const std::string last = await_message(heed, "stopped after step");
  EXPECT_THAT(last, HasFacts("translate --model d/model heed demo"));
  EXPECT_THAT(last, Not(HasFacts("--resume")));
  EXPECT_EQ(heed.wait(), 130);
  EXPECT_TRUE(std::filesystem::exists(folder / "d/model/model.safetensors"));
}

}  // namespace
}  // namespace heed::testing
