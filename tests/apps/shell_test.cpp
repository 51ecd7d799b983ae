// Completion exercised in the shells themselves, and the man page read by the tools that read one.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "console/command.h"
#include "heed/core/files.h"
#include "heed/core/shell_words.h"
#include "run_heed.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

struct ShellResult {
  int status = -1;
  std::string output;  // both streams
};

ShellResult run_shell(const std::string& command) {
  ShellResult result;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return result;
  char buffer[4096];
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    result.output.append(buffer, got);
  }
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

bool has_program(const std::string& name) {
  return run_shell("command -v " + name).status == 0;
}

class ShellTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("train.de", "");
    folder_.write("two words.de", "");
    std::filesystem::create_directory(folder_ / "models");
  }

  // The script's path.
  std::string completion(const std::string& shell) const {
    return folder_.write("completion." + shell, run_heed({"completion", shell}).out);
  }

  // What bash would offer for the last of the words.
  std::vector<std::string> complete(const std::vector<std::string>& words) const {
    std::string line = "COMP_WORDS=(heed";
    for (const std::string& word : words) line += " '" + word + "'";
    const std::string script = folder_.write(
        "test.bash", "set -u; source '" + completion("bash") + "'\ncd '" +
                         (folder_.path() / ".").string() + "'\n" + line +
                         ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_heed\n"
                         "((${#COMPREPLY[@]} == 0)) || printf '%s\\n' \"${COMPREPLY[@]}\"\n");
    const ShellResult result = run_shell("bash --norc '" + script + "'");
    EXPECT_EQ(result.status, 0) << result.output;
    return lines_of(result.output);
  }

  TemporaryFolder folder_;
};

// On one line, as messages print it.
TEST_F(ShellTest, BashReadsAWordAsItWasMeant) {
  for (const std::string text : {"a", "two words", "it's", "a\nb", "tab\t'\\'\x7F", "$HOME"}) {
    const std::string word = shell_word(text);
    EXPECT_EQ(word.find('\n'), word.npos);
    const std::string script = folder_.write("word.bash", "printf %s. " + word + "\n");
    EXPECT_EQ(run_shell("bash --norc '" + script + "'").output, text + ".") << word;
  }
}

TEST_F(ShellTest, BashOffersEveryCommandAndOption) {
  std::vector<std::string> names = complete({""});
  for (const Command& command : all_commands()) {
    const std::string name = command.name;
    if (command.hidden) {
      EXPECT_THAT(names, Not(Contains(name)));
      continue;
    }
    EXPECT_THAT(names, Contains(name));
    const std::vector<std::string> flags = complete({name, "--"});
    for (const Option& option : command.options()) EXPECT_THAT(flags, Contains(option.flag()));
    for (const char* flag : {"--config", "--quiet", "--help"}) EXPECT_THAT(flags, Contains(flag));
    // No more than the flags, their other forms and those three.
    const Options options = command.options();
    const auto others = std::count_if(flags.begin(), flags.end(), [&](const std::string& flag) {
      return flag.rfind("--no-", 0) == 0 &&
             std::none_of(options.begin(), options.end(),
                          [&](const Option& option) { return option.flag() == flag; });
    });
    EXPECT_EQ(flags.size(), command.options().size() + 3 + size_t(others)) << name;
  }
  EXPECT_THAT(complete({"tr"}), ElementsAre("train", "translate"));
  EXPECT_THAT(complete({"help", "tr"}), ElementsAre("train", "translate"));
}

TEST_F(ShellTest, BashKnowsWhatStandsBehindAnOption) {
  const std::vector<std::string> kinds{"bpe", "unigram", "word", "char"};
  EXPECT_EQ(complete({"train", "--tokenizer", ""}), kinds);
  EXPECT_EQ(complete({"train", "--tokenizer", "=", ""}), kinds);
  EXPECT_EQ(complete({"train", "--tokenizer", "="}), kinds);
  EXPECT_THAT(complete({"train", "--tokenizer", "u"}), ElementsAre("unigram"));
  EXPECT_THAT(complete({"train", "--tokenizer", "bpe", "--inspe"}), ElementsAre("--inspect"));
  EXPECT_THAT(complete({"train", "--no-i"}), ElementsAre("--no-inspect"));
  EXPECT_THAT(complete({"train", "--model", ""}), ElementsAre("models"));
  EXPECT_THAT(complete({"train", "--seed", ""}), IsEmpty());
  EXPECT_THAT(complete({"train", "--source", "t"}),
              UnorderedElementsAre("train.de", "two words.de", "test.bash"));
  // A list goes on until the next option.
  EXPECT_THAT(complete({"train", "--source", "train.de", "tw"}), ElementsAre("two words.de"));
  EXPECT_THAT(complete({"train", "--source", "train.de", "--targ"}),
              ElementsAre("--target", "--target-language", "--target-normalization",
                          "--target-subword-sampling"));
}

TEST_F(ShellTest, BashKnowsTheWordsOfACommand) {
  EXPECT_THAT(complete({"inspect", ""}), ElementsAre("model", "attention", "run", "data"));
  EXPECT_THAT(complete({"inspect", "--json", "d"}), ElementsAre("data"));
  EXPECT_THAT(complete({"inspect", "--length", "3", "m"}), ElementsAre("model"));
  EXPECT_THAT(complete({"inspect", "data", "tr"}), ElementsAre("train.de"));
  EXPECT_THAT(complete({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
}

TEST_F(ShellTest, ZshTakesTheScript) {
  if (!has_program("zsh")) GTEST_SKIP() << "zsh is not installed";
  const std::string script = completion("zsh");
  const ShellResult result = run_shell(
      "zsh -n '" + script + "' && zsh -f -c 'autoload -U compinit; compinit -D -u; source " +
      script + "; print $_comps[heed]'");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "_heed\n");
}

TEST_F(ShellTest, FishOffersCommandsOptionsAndNames) {
  if (!has_program("fish")) GTEST_SKIP() << "fish is not installed";
  const std::string script = completion("fish");
  const auto complete = [&](const std::string& line) {
    const ShellResult result = run_shell("fish --no-config -c 'source " + script +
                                         "; complete -C \"" + line + "\" | cut -f 1'");
    EXPECT_EQ(result.status, 0);
    return lines_of(result.output);
  };
  EXPECT_THAT(complete("heed tr"), ElementsAre("train", "translate"));
  EXPECT_THAT(complete("heed train --tokenizer u"), ElementsAre("unigram"));
  EXPECT_THAT(complete("heed train --tokenizer-"), ElementsAre("--tokenizer-model"));
  EXPECT_THAT(complete("heed train --no-i"), ElementsAre("--no-inspect"));
  EXPECT_THAT(complete("heed inspect "), UnorderedElementsAre("data", "model"));
}

TEST_F(ShellTest, AnotherShellIsRefused) {
  const RunResult result = run_heed({"completion", "csh"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("csh"));
}

TEST_F(ShellTest, TheManPageHasEveryCommandAndOption) {
  const std::string page = run_heed({"manual"}).out;
  for (const Command& command : all_commands()) {
    if (command.hidden) continue;
    EXPECT_THAT(page, HasSubstr(".SS heed " + command.name));
    for (const Option& option : command.options()) {
      std::string flag = option.flag().substr(2);
      for (size_t at = 0; (at = flag.find('-', at)) != flag.npos; at += 2) flag.insert(at, "\\");
      EXPECT_THAT(page, HasSubstr(flag)) << option.name;
    }
  }
  for (const std::string& line : lines_of(page)) {
    EXPECT_NE(line, "");
    EXPECT_NE(line.substr(0, 1), "'") << line;
  }
}

TEST_F(ShellTest, TheManPageHasNoMistakes) {
  const std::string page = folder_.write("heed.1", run_heed({"manual"}).out);
  int readers = 0;
  for (const char* command : {"groff -man -ww -z", "mandoc -Tlint -Wwarning"}) {
    const std::string line(command);
    if (!has_program(line.substr(0, line.find(' ')))) continue;
    const ShellResult result = run_shell(fmt::format("{} '{}'", command, page));
    // A page without a date is the same whenever it is built.
    for (const std::string& complaint : lines_of(result.output)) {
      EXPECT_THAT(complaint, HasSubstr("missing date"));
    }
    ++readers;
  }
  if (readers == 0) GTEST_SKIP() << "neither groff nor mandoc is installed";
}

}  // namespace
}  // namespace heed::testing
