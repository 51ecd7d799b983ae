// The program as a user meets it: help, options from flags and files, failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "heed/core/files.h"
#include "heed/core/utf8.h"
#include "run_heed.h"
#include "support/facts.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

// A failure is one line, "heed: what, where, got, expected, what to do", and nothing else.
void expect_failure(const RunResult& result, int status, const std::string& facts) {
  EXPECT_EQ(result.status, status) << result.err;
  EXPECT_THAT(result.err, StartsWith("heed: "));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_THAT(result.err, HasFacts(facts));
  EXPECT_THAT(result.out, IsEmpty());
}

size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

std::vector<std::string> listed_commands() {
  std::istringstream lines(run_heed({"--help"}).out);
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  ", 0) == 0 && line.size() > 2 && line[2] != ' ') {
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return names;
}

TEST(CommandLineTest, AloneItShowsHelpAndExits2) {
  const RunResult result = run_heed({});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasFacts("COMMAND"));
}

TEST(CommandLineTest, SlowBenchMeasuresEachPart) {
  const std::vector<std::string> quick = {"bench",
                                          "--preset",
                                          "tiny",
                                          "--vocabulary-size",
                                          "300",
                                          "--seconds",
                                          "0.01",
                                          "--json",
                                          "--batch-tokens",
                                          "60",
                                          "--length",
                                          "6",
                                          "--beam",
                                          "2",
                                          "--max-length",
                                          "16"};
  const RunResult all = run_heed(quick);
  ASSERT_EQ(all.status, 0) << all.err;
  const auto report = nlohmann::json::parse(all.out);
  for (const char* part : {"machine", "kernels", "training", "decoding"}) {
    ASSERT_TRUE(report.contains(part)) << part;
    for (const auto& figure : report[part]) EXPECT_GT(figure["value"], 0) << figure;
  }
  EXPECT_THAT(report["decoding"].dump(), HasSubstr("beam 2, 10 sentences"));
  EXPECT_TRUE(report.contains("layers"));
  auto one = quick;
  one.insert(one.end(), {"--part", "training", "--compute", "fp32", "--threads", "1"});
  const auto training = nlohmann::json::parse(run_heed(one).out);
  EXPECT_EQ(training.size(), 1u);
  EXPECT_EQ(training["training"][0]["what"].get<std::string>().find("fp32"), std::string::npos);
  EXPECT_THAT(training["training"][0]["what"].get<std::string>(), HasSubstr("batches of 60"));
}

TEST(CommandLineTest, HelpOfEveryCommandFits80ColumnsAndNamesDefaults) {
  const std::vector<std::string> commands = listed_commands();
  EXPECT_GE(commands.size(), 3u);
  for (const std::string& command : commands) {
    const RunResult result = run_heed({command, "--help"});
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_THAT(result.err, IsEmpty());
    EXPECT_THAT(result.out, HasSubstr("Usage: heed " + command));
    EXPECT_THAT(result.out, HasSubstr("--config FILE"));
    EXPECT_LE(longest_line(result.out), 80u) << result.out;
    EXPECT_EQ(run_heed({"help", command}).out, result.out);
  }
  EXPECT_THAT(run_heed({"inspect", "--help"}).out, HasSubstr("default 37000)"));
}

TEST(CommandLineTest, UnknownNamesSuggestTheNearest) {
  expect_failure(run_heed({"inspct"}), 2, "inspct");
  expect_failure(run_heed({"inspect", "model", "tiny", "--lenght", "3"}), 2, "--lenght --length");
  expect_failure(run_heed({"inspect", "-length", "3"}), 2, "--length");
  expect_failure(run_heed({"inspect", "--no-lenght"}), 2, "--no-lenght");
  expect_failure(run_heed({"evaluate", "--zzzzzzzz"}), 2, "--zzzzzzzz");
  expect_failure(run_heed({"inspect", "model", "tinny"}), 2, "tinny");
}

TEST(CommandLineTest, MistypedWordsSuggestTheNearest) {
  expect_failure(run_heed({"inspect", "model", "tinny"}), 2, "'tiny'");
  expect_failure(run_heed({"inspect", "modle", "tiny"}), 2, "'model'");
  expect_failure(run_heed({"completion", "bsh"}), 2, "'bash'");
  expect_failure(run_heed({"Train"}), 2, "'train'");
  expect_failure(run_heed({"--vresion"}), 2, "'--version'");
  expect_failure(run_heed({"inspect", "model", "tiny", "--JSON"}), 2, "'--json'");
  expect_failure(run_heed({"bench", "--compute", "bf61"}), 2, "'bf16'");
  expect_failure(
      run_heed({"evaluate", "--hypothesis", "h", "--reference", "r", "--metrics", "bleu,chfr"}), 2,
      "'chrf'");
}

TEST(CommandLineTest, ChoicesMayBeWrittenInCapitals) {
  const TemporaryFolder folder;
  const auto same = [&](const std::vector<std::string>& a, const std::vector<std::string>& b) {
    const RunResult left = run_heed(a, folder.path()), right = run_heed(b, folder.path());
    EXPECT_EQ(left.status, 0) << left.err;
    EXPECT_EQ(left.out, right.out);
  };
  folder.write("r", "the cat sat on the mat\n");
  folder.write("h", "the cat sat on a mat\n");
  const std::vector<std::string> evaluate{"evaluate", "--hypothesis", "h", "--reference", "r"};
  const auto with = [&](std::vector<std::string> options) {
    options.insert(options.begin(), evaluate.begin(), evaluate.end());
    return options;
  };
  same(with({"--metrics", "BLEU, chrF++,TER"}), with({"--metrics", "bleu,chrf++,ter"}));
  same(with({"--smooth-method", "None"}), with({"--smooth-method", "none"}));
  same(with({"--json=True"}), with({"--json"}));
  expect_failure(run_heed(with({"--metrics", "bleu,BLEU"}), folder.path()), 2, "twice");
}

TEST(CommandLineTest, HelpOffersOnlyWhatTheCommandTakes) {
  const std::string help = run_heed({"train", "--help"}).out;
  const size_t compute = help.find("--compute");
  ASSERT_NE(compute, std::string::npos);
  const std::string entry = help.substr(compute, help.find("\n  --", compute) - compute);
  EXPECT_THAT(entry, HasSubstr("bf16"));
  EXPECT_THAT(entry, Not(HasSubstr("int8")));
  expect_failure(
      run_heed({"train", "--source", "a", "--target", "b", "--model", "c", "--compute", "int8"}), 2,
      "--compute fp32 bf16");
  EXPECT_THAT(run_heed({"translate", "--help"}).out, HasSubstr("int8"));
}

TEST(CommandLineTest, WhatIsGivenIsShownInPart) {
  const std::string spaced = [] {
    std::string text;
    while (text.size() < 3000) text += "字 ";
    return text;
  }();
  for (const std::string& given : {std::string(3000, 'x'), spaced}) {
    const std::vector<std::vector<std::string>> commands{
        {given},
        {"train", "--preset", given},
        {"train", "--seed", given},
        {"train", "--" + given},
        {"average", "--output", "--" + given},
        {"translate", given},
        {"inspect", given},
        {"inspect", "model", given},
        {"train", "--average", given, "--source", "s", "--target", "t", "--model", "m"},
        {"train", "--attention-reach", given, "--source", "s", "--target", "t", "--model", "m"}};
    for (const std::vector<std::string>& command : commands) {
      const RunResult result = run_heed(command);
      EXPECT_NE(result.status, 0) << command[0];
      EXPECT_LT(decode_utf8(result.err).size(), 600u) << result.err;
      EXPECT_THAT(result.err, HasSubstr(given.substr(0, 100))) << command[0];
    }
  }
  // A file of a long name is no more than a name.
  EXPECT_LT(run_heed({"translate", "--model", std::string(3000, 'x')}).err.size(), 300u);
  const std::string deep = "a/" + std::string(150, 'b') + "/" + std::string(150, 'c');
  EXPECT_THAT(run_heed({"translate", "--model", deep}).err, HasSubstr(deep));
}

// What people type before they have read anything.
TEST(CommandLineTest, HelpAndVersionHaveTheirUsualNames) {
  const std::string all = run_heed({"--help"}).out, train = run_heed({"train", "--help"}).out;
  EXPECT_THAT(all, HasSubstr("Usage: heed COMMAND"));
  const auto expect_output = [](const std::vector<std::string>& arguments, const std::string& out) {
    const RunResult result = run_heed(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, out) << arguments[0];
  };
  for (const char* name : {"-h", "help", "--help"}) expect_output({name}, all);
  expect_output({"help", "help"}, all);
  expect_output({"help", "--help"}, all);
  expect_output({"help", "train"}, train);
  expect_output({"--help", "train"}, train);
  expect_output({"train", "-h"}, train);
  expect_output({"train", "help"}, train);
  expect_output({"inspect", "help"}, run_heed({"help", "inspect"}).out);
  // A model, or anything else, may be called so.
  const TemporaryFolder folder;
  EXPECT_EQ(run_heed({"average", "help"}, folder.path()).status, 0);
  EXPECT_EQ(run_heed({"average", "help", "--output", "o"}, folder.path()).status, 1);
  std::filesystem::create_directory(folder.path() / "help");
  EXPECT_THAT(run_heed({"average", "help"}, folder.path()).err, HasFacts("missing --output"));
  EXPECT_THAT(run_heed({"quantize", "help"}, folder.path()).err, HasFacts("'--model help'"));
  EXPECT_THAT(run_heed({"inspect", "help"}, folder.path()).err,
              HasFacts("'heed inspect model help'"));
  EXPECT_EQ(run_heed({"average", "--help"}, folder.path()).status, 0);
  const std::string version = run_heed({"version"}).out;
  for (const char* name : {"-v", "-V", "--version"}) expect_output({name}, version);
}

TEST(CommandLineTest, ValuesOutOfRangeNameTheRange) {
  expect_failure(run_heed({"inspect", "model", "tiny", "--length", "0"}), 2, "--length 1 65536 0");
  expect_failure(run_heed({"inspect", "model", "tiny", "--length=-5"}), 2, "-5");
  expect_failure(run_heed({"inspect", "model", "tiny", "--length"}), 2, "nothing");
  expect_failure(run_heed({"inspect", "model", "tiny", "--json=maybe"}), 2, "--json maybe");
  expect_failure(run_heed({"phrasebook"}), 2, "--output");
  expect_failure(run_heed({"phrasebook", "word"}), 2, "word");
}

TEST(CommandLineTest, AWholeNumberMayHaveAnExponent) {
  const TemporaryFolder folder;
  folder.write("run.toml", "vocabulary_size = 1e3\n");
  const auto page = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"inspect", "model", "tiny"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_heed(arguments, folder.path());
  };
  const std::string expected = page({"--vocabulary-size", "1000"}).out;
  EXPECT_EQ(page({"--config", "run.toml"}).out, expected);
  EXPECT_EQ(page({"--vocabulary-size", "1e3"}).out, expected);
  EXPECT_EQ(page({"--vocabulary-size", "7", "--vocabulary-size", "1e3"}).out, expected)
      << "the last holds";
  for (const char* wrong : {"1e3.5", "1.5", "1e300", "nan"})
    expect_failure(page({"--vocabulary-size", wrong}), 2,
                   std::string("--vocabulary-size ") + wrong);
}

TEST(CommandLineTest, FlagsWinOverTheFile) {
  const TemporaryFolder folder;
  const std::string config = folder.write("run.toml", "length = 7\n[inspect]\njson = true\n");
  const auto length = [](const RunResult& result) {
    return nlohmann::json::parse(result.out)["sentence_length"].get<int>();
  };
  EXPECT_EQ(length(run_heed({"inspect", "model", "tiny", "--config", config})), 7);
  EXPECT_EQ(length(run_heed({"inspect", "--length", "8", "model", "tiny", "--config", config})), 8);
  EXPECT_THAT(run_heed({"inspect", "model", "tiny", "--config", config, "--no-json"}).out,
              HasSubstr("sentences of 7 tokens"));
}

TEST(CommandLineTest, DefectsOfTheFileAreNamedWithTheirLine) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& text) {
    return run_heed({"inspect", "model", "tiny", "--config", folder.write("run.toml", text)});
  };
  expect_failure(run("json = true\nlenght = 7\n"), 2, "run.toml:2");
  expect_failure(run("length = 0\n"), 2, "run.toml:1 1");
  expect_failure(run("length = 1.5\n"), 2, "1.5");
  expect_failure(run("length = 1979-05-27\n"), 2, "run.toml:1");
  expect_failure(run("\n[insect]\n"), 2, "run.toml:2");
  expect_failure(run("length = \n"), 2, "run.toml:1 TOML");
  expect_failure(run_heed({"inspect", "model", "tiny", "--config", "absent.toml"}), 1,
                 "absent.toml");
  expect_failure(run_heed({"inspect", "model", "tiny", "--config", folder.path().string()}), 1,
                 folder.path().string());
}

TEST(CommandLineTest, AListOfTablesIsReadAndItsDefectsAreNamed) {
  const TemporaryFolder folder;
  folder.write("s", "a b\nc d\n");
  const auto train = [&](const std::string& text) {
    return run_heed({"train", "--model", "m", "--config", folder.write("run.toml", text)},
                    folder.path());
  };
  const std::string good = "[[corpus]]\nname = 'one'\nsource = 's'\ntarget = ['s']\n";
  expect_failure(train(good + "[[corpus]]\nname = 'two'\nsorce = 's'\n"), 2,
                 "run.toml:7 sorce 'source'");
  expect_failure(train(good + "weight = 0\n"), 2, "run.toml:5 weight above 0");
  expect_failure(train(good + "weight = [1, 2]\n"), 2, "run.toml:5 weight");
  expect_failure(train("[corpus]\nname = 'one'\n"), 2, "run.toml:1 [[corpus]]");
  expect_failure(train("corpus = 'one'\n"), 2, "run.toml:1 [[corpus]]");
  expect_failure(train("corpus = [{name = 'one'}, 'two']\n"), 2, "run.toml:1 [[corpus]]");
  expect_failure(train(good + "source = 's'\n"), 2, "run.toml TOML");
  expect_failure(train(good + "[[stage]]\nmix = 'two'\n"), 2, "stage 1 'two'");
  expect_failure(train("source = 's'\n" + good), 2, "[[corpus]] --source");
  expect_failure(run_heed({"train", "--model", "m", "--corpus", "{"}, folder.path()), 1,
                 "corpus JSON");
  expect_failure(train(good + "[[train.corpus]]\nname = 'x'\n"), 2, "'x' source is missing");
}

TEST(CommandLineTest, TheFileMayNameEnvironmentVariables) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& text) {
    return run_heed({"phrasebook", "--config", folder.write("run.toml", text)}, folder.path());
  };
  setenv("HEED_TEST_FOLDER", "here", 1);
  EXPECT_EQ(run("output = '${HEED_TEST_FOLDER}/book'\npairs = 5000\nvalid_pairs = 9\n"
                "test_pairs = 9\n")
                .status,
            0);
  EXPECT_TRUE(std::filesystem::exists(folder / "here/book/train.zh"));
  unsetenv("HEED_TEST_FOLDER");
  expect_failure(run("\noutput = '${HEED_TEST_FOLDER}/book'\n"), 2, "run.toml:2 HEED_TEST_FOLDER");
}

TEST(CommandLineTest, AFullDiskIsAnErrorAndAGoneReaderIsNot) {
  const std::vector<std::string> command{"inspect", "model", "tiny"};
  expect_failure(run_heed(command, ".", "", {.output = OutputTo::full_disk}), 1, "No space");
  const RunResult result = run_heed(command, ".", "", {.output = OutputTo::closed_pipe});
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(CommandLineTest, TheOptionsPageIsUpToDate) {
  EXPECT_EQ(run_heed({"options", "--markdown"}).out, read_file(HEED_OPTIONS_PAGE))
      << "run: build/release/heed options --markdown > docs/options.md";
}

}  // namespace
}  // namespace heed::testing
