// Names of other tools, which heed answers with its own.
#include "console/other_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "console/command.h"
#include "run_heed.h"
#include "support/facts.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

void expect_hint(const std::vector<std::string>& arguments, const std::string& facts) {
  const RunResult result = run_heed(arguments);
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_THAT(result.err, HasFacts(facts)) << arguments[0];
}

std::vector<std::string> split_words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

TEST(OtherNamesTest, EveryOptionOfTheTableIsOneOfHeed) {
  for (const OtherNames& row : other_option_names()) {
    const auto commands = all_commands();
    const auto has = [&](const auto& command) {
      return (row.command.empty() || row.command == command.name) &&
             find_option(command.options(), row.ours) != nullptr;
    };
    CommonSettings common;
    EXPECT_TRUE(std::ranges::any_of(commands, has) || find_option(options_of(common), row.ours))
        << row.ours;
  }
}

TEST(OtherNamesTest, EveryCommandOfTheTableIsOneOfHeed) {
  std::set<std::string> commands;
  for (const Command& command : all_commands()) commands.insert(command.name);
  for (const OtherNames& row : other_command_names()) {
    EXPECT_TRUE(commands.contains(std::string(row.ours))) << row.ours;
    for (const std::string& other : split_words(row.others))
      EXPECT_FALSE(commands.contains(other)) << other << ": never unknown";
  }
}

// A row that no command can show would be dead: each of its names exists wherever its option does.
TEST(OtherNamesTest, EveryOptionNameOfTheTableIsUnknownToSomeCommandThatHasItsOption) {
  for (const OtherNames& row : other_option_names()) {
    for (const std::string& other : split_words(row.others)) {
      bool shown = false;
      for (const Command& command : all_commands()) {
        CommonSettings common;
        Options options = command.options();
        for (Option& option : options_of(common)) options.push_back(std::move(option));
        shown = shown || (find_option(options, row.ours) && !find_option(options, other));
      }
      EXPECT_TRUE(shown) << other << " for " << row.ours;
    }
  }
}

TEST(OtherNamesTest, OptionsOfOtherToolsNameThoseOfHeed) {
  expect_hint({"train", "--src", "a"}, "--src '--source'");
  expect_hint({"train", "-src", "a"}, "-src '--source'");
  expect_hint({"train", "--lr", "1"}, "--lr '--learning-rate'");
  expect_hint({"train", "--max-epochs=3"}, "--max-epochs '--epochs'");
  expect_hint({"train", "--update-freq", "3"}, "'--accumulate'");
  expect_hint({"train", "--batch-size", "3"}, "'--batch-tokens' '--batch-sentences' tokens");
  expect_hint({"train", "--vocab-size", "3"}, "'--vocabulary-size'");
  expect_hint({"train", "--max-tokens", "3"}, "'--batch-tokens' '--max-sentence-tokens'");
  expect_hint({"train", "--keep", "3"}, "'--keep-checkpoints'");
  expect_hint({"train", "--other-instruction-set"}, "'--allow-other-instruction-set'");
  expect_hint({"inspect", "data", "--max-ratio", "3"}, "'--max-ratio-deviation'");
  expect_hint({"inspect", "data", "--table", "3"}, "'--max-table-entries'");
  expect_hint({"train", "--output", "d"}, "'--model'");
  expect_hint({"train", "--tensorboard-logdir", "d"}, "'--tensorboard'");
  expect_hint({"translate", "--gpu", "0"}, "--gpu '--threads' CPU");
  expect_hint({"translate", "--beam_size", "3"}, "'--beam'");
  expect_hint({"translate", "--n-best", "3"}, "'--nbest'");
  expect_hint({"translate", "--source", "a"}, "'--input'");
  expect_hint({"score", "--tgt", "a"}, "'--target'");
  expect_hint({"evaluate", "--refs", "a"}, "'--reference'");
  expect_hint({"evaluate", "--translations", "a"}, "'--hypothesis'");
  expect_hint({"translate", "--quiet-translation"}, "'--quiet'");
  expect_hint({"translate", "--mini-batch", "8"}, "'--batch-tokens' tokens");
  expect_hint({"evaluate", "-tok", "zh"}, "'--bleu-tokenize'");
  expect_hint({"quantize", "--quantization", "int8"}, "'--type'");
}

TEST(OtherNamesTest, ShortOptionsNameLongOnes) {
  expect_hint({"translate", "-m", "d"}, "-m '--model'");
  expect_hint({"translate", "-i", "a"}, "-i '--input'");
  expect_hint({"train", "-s", "a"}, "-s '--source'");
  expect_hint({"train", "-t", "a"}, "-t '--target'");
  const RunResult output = run_heed({"translate", "-o", "a"});
  EXPECT_THAT(output.err, HasFacts("'--output'"));
  EXPECT_THAT(output.err, ::testing::Not(HasFacts("'--model'")));
}

TEST(OtherNamesTest, AnOptionOfOtherCommandsSaysWhose) {
  expect_hint({"train", "--beam", "3"}, "--beam translate evaluate bench");
  expect_hint({"translate", "--epochs", "3"}, "--epochs train");
}

TEST(OtherNamesTest, CommandsOfOtherToolsNameThoseOfHeed) {
  for (const auto& [theirs, ours] :
       {std::pair("eval", "'evaluate'"), std::pair("decode", "'translate'"),
        std::pair("fit", "'train'"), std::pair("bleu", "'evaluate'"),
        std::pair("predict", "'translate'"), std::pair("convert", "'quantize'"),
        std::pair("infer", "'translate'"), std::pair("server", "'serve'"),
        std::pair("spm-train", "'train'")})
    expect_hint({theirs}, std::string(theirs) + " " + ours);
}

TEST(OtherNamesTest, KeysAndTablesOfAFileAreAnsweredAlike) {
  const TemporaryFolder folder;
  const auto expect_in_file = [&](const std::string& text, const std::string& facts) {
    expect_hint({"train", "--config", folder.write("run.toml", text)}, facts);
  };
  expect_in_file("\nlr = 1\n", "run.toml:2 lr 'learning_rate'");
  expect_in_file("beam = 1\n", "run.toml:1 beam translate");
  expect_in_file("[eval]\n", "run.toml:1 [eval] [evaluate]");
}

TEST(OtherNamesTest, AnOptionBeforeTheCommandSaysWhereItGoes) {
  expect_hint({"--model", "zh-en", "translate"}, "--model command translate");
}

TEST(OtherNamesTest, DashesAloneAreAnUnknownOption) {
  expect_hint({"train", "---"}, "---");
  expect_hint({"---"}, "---");
}

}  // namespace
}  // namespace heed::testing
