// heed align: one line of links for each pair, and what it refuses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "small_model_test.h"

namespace heed::testing {
namespace {

class AlignTest : public ::testing::Test {
 protected:
  RunResult align(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "align");
    return run_heed(arguments, folder_.path());
  }
  TemporaryFolder folder_;
};

TEST_F(AlignTest, GivesALineForEachPair) {
  const std::vector<std::pair<std::string, std::string>> words = {
      {"das", "the"}, {"Haus", "house"}, {"Buch", "book"}, {"ist", "is"}, {"alt", "old"}};
  std::string source, target;
  for (size_t i = 0; i < 60; ++i) {
    const auto& noun = words[1 + i % 2];
    const bool short_one = i % 3 == 0;
    source += short_one ? "Das " + noun.first + ".\n" : "das " + noun.first + " ist alt.\n";
    target += short_one ? "The " + noun.second + "!\n" : "the " + noun.second + " is old.\n";
  }
  folder_.write("a.de", source + "\n\xff das\nalt Haus\n");
  folder_.write("a.en", target + "\nthe\nold house\n");
  const RunResult result = align({"--source", "a.de", "--target", "a.en"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 63);
  EXPECT_TRUE(result.out.starts_with("0-0 1-1\n0-0 1-1 2-2 3-3\n")) << result.out;
  EXPECT_TRUE(result.out.ends_with("\n\n\n0-0 1-1\n")) << result.out;
  EXPECT_THAT(result.err, HasFacts("2 pairs without a link"));
  folder_.write("links", result.out);
  EXPECT_THAT(
      run_heed({"evaluate", "--hypothesis", "links", "--reference", "links", "--metrics", "aer"},
               folder_.path())
          .out,
      HasFacts("AER = 0.00 precision = 100.00"));
}

TEST_F(AlignTest, ChineseIsAlignedByCharacters) {
  std::string source, target;
  for (int i = 0; i < 40; ++i) {
    source += i % 2 == 0 ? "狗叫。\n" : "猫叫。\n";
    target += i % 2 == 0 ? "dogs bark .\n" : "cats bark .\n";
  }
  folder_.write("a.zh", source);
  folder_.write("a.en", target);
  const RunResult result = align({"--source", "a.zh", "--target", "a.en"});
  EXPECT_TRUE(result.out.starts_with("0-0 1-1 2-2\n0-0 1-1 2-2\n")) << result.out;
}

TEST_F(AlignTest, RefusesWhatIsNoText) {
  folder_.write("a", "one\ntwo\n");
  folder_.write("b", "one\n");
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& facts) {
    const RunResult result = align(arguments);
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.err, HasFacts(facts));
  };
  refused({}, "--source --target");
  refused({"--source", "a", "--target", "b"}, "a 2 lines b 1 line");
  refused({"--source", "a", "--target", "none"}, "none No such file");
  refused({"--source", "a", "a", "--target", "a"}, "2 files --target 1");
  refused({"--source", "a", "--target", "a", "--output", "a"}, "--output a");
  refused({"--source", "a", "--target", "a", "--tsv", "a"}, "--tsv --source");
  refused({"--source", "a", "--target", "a", "--model", "none"}, "none");
  refused({"--source", "a", "--target", "a", "--model", "m", "--symmetrize", "union"},
          "--symmetrize --model");
}

// The links of given pairs are those that the model reports for its own translations, except where
// it wrote a word in other pieces than those that the vocabulary gives it.
TEST_F(SmallModelTest, AModelAlignsGivenPairs) {
  const RunResult translated = heed({"translate", "--model", "m", "--input", "test.zh", "--format",
                                     "jsonl", "--alignments", "words", "--max-length", "9"});
  ASSERT_EQ(translated.status, 0) << translated.err;
  std::string source, target, links;
  std::istringstream lines(translated.out), sources(folder_->read("test.zh"));
  for (std::string line, text; std::getline(lines, line) && std::getline(sources, text);) {
    const auto object = nlohmann::json::parse(line);
    source += text + "\n";
    target += object.at("translation").get<std::string>() + "\n";
    links += object.at("alignment").get<std::string>() + "\n";
  }
  folder_->write("given.source", source + "\n");
  folder_->write("given.target", target + "x\n");
  const RunResult aligned =
      heed({"align", "--model", "m", "--source", "given.source", "--target", "given.target"});
  std::istringstream expected(links), got(aligned.out);
  int64_t equal = 0;
  for (std::string a, b; std::getline(expected, a) && std::getline(got, b);) equal += a == b;
  EXPECT_EQ(std::ranges::count(links, '\n'), 20);
  EXPECT_GE(equal, 17) << aligned.out;
  EXPECT_TRUE(aligned.out.ends_with("\n\n")) << aligned.out;
  EXPECT_THAT(aligned.err, HasFacts("1 pair without a link tokens"));
  EXPECT_EQ(heed({"align", "--model", "m", "--source", "given.source", "--target", "given.target",
                  "--threads", "1"})
                .out,
            aligned.out);
}

}  // namespace
}  // namespace heed::testing
