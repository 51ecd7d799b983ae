// heed align: one line of links for each pair, and what it refuses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "run_heed.h"
#include "support/facts.h"
#include "support/temporary_folder.h"

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
}

}  // namespace
}  // namespace heed::testing
