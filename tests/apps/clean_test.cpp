// heed clean: the files that it writes, and what it refuses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run_heed.h"
#include "support/facts.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;

class CleanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 1; i <= 60; ++i) {
      source_ += i == 7    ? "die Seite 12 fehlt\n"
                 : i == 9  ? "ein Tab\tim Satz Nummer 9 %s\n"
                 : i == 30 ? "fÃ¼r den Satz Nummer 30\n"
                           : fmt::format("das ist der Satz Nummer {}\n", i);
      target_ += i == 7    ? "page 21 is missing\n"
                 : i == 30 ? "for sentence number 30\n"
                           : fmt::format("this is sentence number {}\n", i);
    }
    folder_.write("a.de", source_);
    folder_.write("a.en", target_);
  }

  RunResult clean(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "clean");
    return run_heed(arguments, folder_.path());
  }
  static std::string without(std::string text, const std::string& part) {
    return text.erase(text.find(part), part.size());
  }

  TemporaryFolder folder_;
  std::string source_, target_;
};

TEST_F(CleanTest, WritesTheKeptPairsAndTheOthersWithTheirReasons) {
  const RunResult result =
      clean({"a.de", "a.en", "--output", "b.de", "b.en", "--rejected", "rest.tsv"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasFacts("kept 58 of 60 pairs, 1 of them repaired; dropped 2 "
                                   "different_numbers first: a.de:7"));
  const std::string damaged = "fÃ¼r";
  std::string source =
      without(without(source_, "die Seite 12 fehlt\n"), "ein Tab\tim Satz Nummer 9 %s\n");
  source.replace(source.find(damaged), damaged.size(), "für");
  EXPECT_EQ(folder_.read("b.de"), source);
  EXPECT_EQ(folder_.read("b.en"),
            without(without(target_, "page 21 is missing\n"), "this is sentence number 9\n"));
  EXPECT_EQ(folder_.read("rest.tsv"),
            "a.de:7\tdifferent_numbers\tonly in the source: 12; only in the target: 21\t"
            "die Seite 12 fehlt\tpage 21 is missing\n"
            "a.de:9\tdifferent_placeholders\tonly in the source: %s\t"
            "ein Tab\tim Satz Nummer 9 %s\tthis is sentence number 9\n");
}

TEST_F(CleanTest, ReadsAndWritesTabSeparatedText) {
  folder_.write("c.tsv", "id\tone small house\tein kleines Haus\nid\ttwo 2\tdrei 3\n");
  const RunResult result =
      clean({"--tsv", "c.tsv", "--columns", "3", "2", "--output", "d.tsv", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(folder_.read("d.tsv"), "ein kleines Haus\tone small house\n");
  const nlohmann::json counts = nlohmann::json::parse(result.out);
  EXPECT_EQ(counts["pairs"], 2);
  EXPECT_EQ(counts["kept"], 1);
  EXPECT_EQ(counts["dropped"]["different_numbers"], 1);
}

TEST_F(CleanTest, ThePageHasTheTextBeforeAndAfter) {
  const RunResult result =
      clean({"a.de", "a.en", "--output", "b.de", "b.en", "--html", "page.html"});
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string page = folder_.read("page.html");
  EXPECT_THAT(page, HasSubstr(R"("cleaning":{"pairs":60,"kept":58,"repaired":1,)"
                              R"("dropped":{"different_placeholders":1,"different_numbers":1})"));
  EXPECT_THAT(page, HasSubstr("f\u00fcr den Satz Nummer 30")) << "as it is after the repair";
  EXPECT_THAT(page, HasSubstr(R"("pairs":58,"first_pairs_only")")) << "the report of what is left";
  const RunResult refused = clean({"a.de", "a.en", "--output", "c.de", "c.en", "--html", "c.de"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasFacts("two outputs c.de"));
}

TEST_F(CleanTest, BadInputLeavesNoFile) {
  const auto refused = [&](const std::vector<std::string>& arguments, int status,
                           const std::string& facts) {
    const RunResult result = clean(arguments);
    EXPECT_EQ(result.status, status);
    EXPECT_THAT(result.err, HasFacts(facts));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "b.de"));
  };
  folder_.write("short.en", "this is one line\n");
  refused({"a.de", "short.en", "--output", "b.de", "b.en"}, 1, "a.de 60 short.en 1");
  refused({"a.de", "missing", "--output", "b.de", "b.en"}, 1, "missing");
  refused({"a.de", "a.en", "--output", "b.de"}, 2, "--output 1 file two");
  refused({"a.de", "a.en", "--output", "b.de", "b.de"}, 2, "b.de two outputs");
  refused({"a.de", "a.en", "--output", "a.de", "b.de"}, 2, "--output a.de");
  refused({"a.de", "a.en", "--output", "b.de", "b.en", "--rejected", "a.en"}, 2, "--rejected a.en");
  refused({"a.de", "--output", "b.de", "b.en"}, 2, "TARGET is missing");
  refused({"--output", "b.de", "b.en"}, 2, "heed clean SOURCE TARGET");
  refused({"a.de", "a.en", "--tsv", "a.de", "--output", "b.de"}, 2, "--tsv contradicts");
  refused({"a.de", "a.en", "--output", "b.de", "b.en", "--drop", "numbers"}, 2, "--drop numbers");
  refused({"a.de", "a.de", "--output", "b.de", "b.en"}, 1, "no pair is left");
}

}  // namespace
}  // namespace heed::testing
