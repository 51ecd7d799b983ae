// heed inspect data, as text, JSON and a page; and the look that heed train takes first.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <regex>

#include "heed/core/files.h"
#include "heed/data/data_report.h"
#include "heed/pages/page_assets.h"
#include "heed/pages/terminal_text.h"
#include "heed/text/tokenizer.h"
#include "heed/text/tokenizer_training.h"
#include "run_heed.h"
#include "support/facts.h"
#include "support/page_data.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class InspectDataTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string source, target;
    for (int i = 1; i <= 200; ++i) {
      const std::string number = std::to_string(i);
      source +=
          i == 7 ? "<b>&amp; \"Hund\"</b> \x1B[31m\n" : "das ist der Satz Nummer " + number + "\n";
      target +=
          i == 50 ? "das ist der Satz Nummer 50\n" : "this is sentence number " + number + "\n";
    }
    folder_.write("a.de", source);
    folder_.write("a.en", target);
    folder_.write("test.de", "das ist der Satz Nummer 9\nein neuer Satz\n");
    folder_.write("test.en", "this is sentence number 9\na new sentence\n");
  }

  RunResult inspect(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"inspect", "data", "a.de", "a.en"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_heed(arguments, folder_.path());
  }
  nlohmann::json json(std::vector<std::string> more = {}) const {
    more.emplace_back("--json");
    const RunResult result = inspect(more);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
  static nlohmann::json finding(const nlohmann::json& page, const std::string& kind) {
    for (const auto& found : page["findings"]) {
      if (found["kind"] == kind) return found;
    }
    ADD_FAILURE() << "no finding " << kind;
    return {};
  }

  TemporaryFolder folder_;
};

TEST_F(InspectDataTest, TextNamesLinesAndWhatToDo) {
  const RunResult result = inspect();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, HasSubstr("a.de and a.en: 200 pairs"));
  EXPECT_THAT(result.out, ContainsRegex("1 \\(0.5%\\): Targets equal to their source"));
  EXPECT_THAT(result.out, HasSubstr("a.de:50\n      source  das ist der Satz Nummer 50\n"));
  EXPECT_THAT(result.out, HasSubstr("-F'\\t' '$1 != $2'"));
  EXPECT_THAT(result.out, AllOf(HasSubstr("␛[31m"), Not(HasSubstr("\x1B"))));
  EXPECT_THAT(inspect({"--pairs", "5"}).out,
              AllOf(HasSubstr("5 pairs, the first of the files"), HasSubstr("Findings\n  none")));
}

TEST_F(InspectDataTest, JsonHasEveryKindAndWhatWasCounted) {
  const auto page = json({"--test-source", "test.de", "--test-target", "test.en"});
  EXPECT_EQ(page["pairs"], 200);
  EXPECT_EQ(page["findings"].size(), kFindings);
  EXPECT_EQ(page["source"]["words"]["median"], 6);
  EXPECT_EQ(page["source"]["letters"].size(), 1u);
  EXPECT_FALSE(page["source"].contains("tokens"));
  EXPECT_EQ(page["target"]["test"]["lines_seen"], 1);
  EXPECT_EQ(page["target"]["test"]["unseen_words"], 2);
  EXPECT_EQ(finding(page, "test_pairs")["examples"][0]["line"], 9);
  EXPECT_EQ(finding(page, "copied_sources")["examples"][0]["line"], 50);
  EXPECT_EQ(finding(page, "control_characters")["pairs"], 1);
  EXPECT_EQ(finding(page, "empty")["pairs"], 0);
  EXPECT_EQ(finding(page, "copied_sources")["examples"][0]["target"], "das ist der Satz Nummer 50");
}

TEST_F(InspectDataTest, OptionsReachTheInspection) {
  EXPECT_EQ(json({"--pairs", "40"})["pairs"], 40);
  EXPECT_TRUE(finding(json({"--examples", "0"}), "copied_sources")["examples"].empty());
  EXPECT_EQ(finding(json({"--max-sentence-tokens", "5"}), "too_long")["pairs"], 198 + 1);
  EXPECT_EQ(json({"--threads", "1"}), json({"--threads", "3"}));
  const RunResult narrow = inspect({"--max-table-entries", "5"});
  EXPECT_EQ(narrow.status, 2);
  EXPECT_THAT(narrow.err, HasFacts("--max-table-entries 1024"));
}

TEST_F(InspectDataTest, RatioAndTableReachTheInspection) {
  std::string source, target;
  for (int i = 0; i < 3000; ++i) {
    source += fmt::format("ein kurzer Satz {}\n", i);
    target += fmt::format("a short one {}{}\n", i, i == 4 ? " and a bit more than that" : "");
  }
  folder_.write("b.de", source);
  folder_.write("b.en", target);
  const auto json = [&](const std::string& option, const std::string& value) {
    return nlohmann::json::parse(
        run_heed({"inspect", "data", "b.de", "b.en", "--json", option, value}, folder_.path()).out);
  };
  EXPECT_EQ(finding(json("--max-ratio-deviation", "3"), "length_ratio")["pairs"], 0);
  EXPECT_EQ(finding(json("--max-ratio-deviation", "2"), "length_ratio")["examples"][0]["line"], 5);
  EXPECT_EQ(json("--max-table-entries", "10000")["source"]["vocabulary"]["types"], 3003);
  EXPECT_EQ(json("--max-table-entries", "10000")["source"]["vocabulary"]["estimated"], false);
  EXPECT_EQ(json("--max-table-entries", "1024")["source"]["vocabulary"]["estimated"], true);
}

TEST_F(InspectDataTest, WordsAreNotCountedWhereNothingParts) {
  std::string source, target;
  for (int i = 0; i < 300; ++i) {
    source += fmt::format("这是一个没有空格的第{}句子。\n", i);
    target += fmt::format("this is sentence number {} without spaces .\n", i);
  }
  folder_.write("c.zh", source);
  folder_.write("c.en", target);
  const RunResult result =
      run_heed({"inspect", "data", "c.zh", "c.en", "--html", "c.html"}, folder_.path());
  EXPECT_THAT(result.out, ContainsRegex("different words +- +307\n"));
  EXPECT_THAT(result.out, HasSubstr("Findings\n  none"));
  const auto data = data_of(read_file(folder_ / "c.html"));
  EXPECT_EQ(data["source"]["spaced"], false);
  EXPECT_EQ(data["target"]["spaced"], true);
  // The 100 commonest of 307 words: seven in each of 300 lines, and 93 of the numbers.
  EXPECT_NEAR(data["target"]["vocabulary"]["coverage"][0]["share"], 0.914, 0.0005);
}

// Whatever a cell holds, every row ends in the same column.
TEST_F(InspectDataTest, TheTableOfFactsHasNoEmptyCellAndStaysATable) {
  std::string source, target;
  for (int i = 0; i < 1500; ++i) {
    source += fmt::format("Haus дом σπίτι बात งาน word{}\n", i);
    target += fmt::format("a house number {}\n", i % 10);
  }
  folder_.write("s.de", source);
  folder_.write("s.en", target);
  const std::string out = run_heed({"inspect", "data", "s.de", "s.en"}, folder_.path()).out;
  std::istringstream lines(out.substr(out.find("Vocabulary"), out.find("Findings")));
  std::string heading, line, scripts;
  std::getline(lines, heading);
  int rows = 0;
  for (; std::getline(lines, line) && !line.empty(); ++rows) {
    EXPECT_EQ(line.size(), heading.size()) << out;
    EXPECT_NE(line.back(), ' ') << out;
    if (line.find("scripts") != line.npos) scripts = line;
  }
  EXPECT_GT(rows, 3);
  EXPECT_THAT(out, ContainsRegex("1,000 commonest +[0-9.]+% +-\n"));
  EXPECT_THAT(scripts, ContainsRegex("latin .* and [0-9] more +latin"));
}

TEST_F(InspectDataTest, ShortLinesOfChineseAreNoWords) {
  std::string source, target;
  for (int i = 0; i < 300; ++i) {
    source += i % 2 == 0 ? "你好。\n" : "我很好，谢谢你。\n";
    target += fmt::format("hello for the {}th time .\n", i);
  }
  folder_.write("d.zh", source);
  folder_.write("d.en", target);
  const RunResult result =
      run_heed({"inspect", "data", "d.zh", "d.en", "--html", "d.html"}, folder_.path());
  EXPECT_THAT(result.out, HasSubstr("no spaces between"));
  EXPECT_THAT(result.out, Not(HasSubstr("source words")));
  EXPECT_THAT(result.err, HasSubstr("d.html"));
  const auto data = data_of(read_file(folder_ / "d.html"));
  // Two lengths of the source are two bars, of 150 each.
  const auto counts = data["source"]["characters"]["histogram"]["counts"];
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 150), 2);
  EXPECT_THAT(
      run_heed({"inspect", "data", "d.zh", "d.en", "--html", "d.html", "--quiet"}, folder_.path())
          .err,
      IsEmpty());
}

TEST_F(InspectDataTest, ReadsColumnsOfTabSeparatedText) {
  folder_.write("t.tsv", "one house\tein Haus\tCC\nno column\ntwo houses\tzwei Häuser\tCC\n");
  const auto json = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"inspect", "data", "--json", "--tsv", "t.tsv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return nlohmann::json::parse(run_heed(arguments, folder_.path()).out);
  };
  const auto page = json({});
  EXPECT_EQ(page["pairs"], 3);
  EXPECT_EQ(page["source"]["characters"]["longest"], 10);
  EXPECT_EQ(finding(page, "missing_column")["pairs"], 1);
  EXPECT_EQ(finding(page, "missing_column")["examples"][0]["line"], 2);
  EXPECT_EQ(finding(page, "missing_column")["examples"][0]["source_file"], "t.tsv");
  EXPECT_EQ(json({"--columns", "3", "1"})["source"]["characters"]["longest"], 2);
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"a.de", "a.en", "--columns", "2", "1"},
        {"a.de", "--tsv", "t.tsv"},
        {"--tsv", "t.tsv", "--columns", "2"}}) {
    std::vector<std::string> arguments{"inspect", "data"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(run_heed(arguments, folder_.path()).status, 2);
  }
}

TEST_F(InspectDataTest, TokenizersOfAFileAndOfAModelAreUsed) {
  const std::string spm =
      train_tokenizer({.vocabulary_size = 50},
                      std::vector<std::filesystem::path>{folder_ / "a.de", folder_ / "a.en"});
  folder_.write("t.spm", spm);
  std::filesystem::create_directory(folder_ / "m");
  TokenizerPair::joint(spm).save(folder_ / "m");
  for (const auto& option : {std::vector<std::string>{"--tokenizer-model", "t.spm"},
                             std::vector<std::string>{"--model", "m"}}) {
    const auto page = json(option);
    EXPECT_EQ(page["source"]["vocabulary_use"]["vocabulary"], 50);
    EXPECT_GT(page["source"]["tokens"]["mean"], page["source"]["words"]["mean"]);
    std::vector<std::string> narrow = option;
    narrow.insert(narrow.end(), {"--max-sentence-tokens", "7"});
    EXPECT_THAT(std::string(finding(json(narrow), "too_long")["examples"][0]["note"]),
                ContainsRegex("^[0-9]+ and [0-9]+ tokens$"));
  }
  EXPECT_EQ(finding(json({"--max-sentence-tokens", "5"}), "too_long")["examples"][0]["note"],
            "6 and 5 words");
  EXPECT_THAT(inspect({"--model", "m", "--tokenizer-model", "t.spm"}).err,
              HasSubstr("contradicts"));
}

TEST_F(InspectDataTest, ThePageHasWhatJsonHas) {
  ASSERT_EQ(inspect({"--html", "page.html"}).status, 0);
  const auto data = data_of(read_file(folder_ / "page.html"));
  auto listed = json();
  for (auto& found : listed["findings"]) {
    EXPECT_EQ(found.erase("lines"), 1u);  // the page would have megabytes of numbers
    found.erase("all_lines");
  }
  EXPECT_EQ(data, listed);
  const std::string source = finding(data, "control_characters")["examples"][0]["source"];
  EXPECT_THAT(source, HasSubstr("<b>&amp; \"Hund\"</b> ␛[31m"));
  EXPECT_EQ(data["source"]["words"]["histogram"]["counts"].size(), 24u);
  EXPECT_EQ(data["ratios"].size(), size_t(DataReport::kRatioBins));
  const auto ratios = data["ratios"].get<std::vector<int64_t>>();
  EXPECT_GT(std::accumulate(ratios.begin(), ratios.end(), int64_t{0}), 150);
  // Looked for, but only what it had the means for.
  EXPECT_EQ(finding(data, "empty")["looked_for"], true);
  EXPECT_EQ(finding(data, "test_pairs")["looked_for"], false);
}

TEST_F(InspectDataTest, JsonListsEveryLine) {
  const auto lines = finding(json({"--examples", "0"}), "copied_sources");
  EXPECT_EQ(lines["lines"].size(), 1u);
  EXPECT_EQ(lines["lines"][0]["source_file"], "a.de");
  EXPECT_EQ(lines["lines"][0]["lines"], nlohmann::json::array({50}));
  EXPECT_EQ(lines["all_lines"], true);
}

// What a user pastes: of tab-separated text the tabs stay, and .gz files are read, not overwritten.
TEST_F(InspectDataTest, CommandsOfTheAdviceKeepTheText) {
  folder_.write("t.tsv", "a\x02 b\tc\x7F d\te\r\nf\u2028g\th\r\ti\nf\u200Bg\th\ti\n");
  const auto command = [&](const std::string& kind, const std::vector<std::string>& files) {
    std::vector<std::string> arguments{"inspect", "data", "--json"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    return finding(nlohmann::json::parse(run_heed(arguments, folder_.path()).out), kind)["command"]
        .get<std::string>();
  };
  const auto result = [&](std::string text) {
    for (const auto& [name, value] : {std::pair<std::string, std::string>{"FILE", "t.tsv"},
                                      {"SOURCE", "a.de"},
                                      {"TARGET", "a.en"}})
      if (const size_t at = text.find(name); at != text.npos) text.replace(at, name.size(), value);
    EXPECT_EQ(std::system(("cd '" + folder_.path().string() + "' && " + text).c_str()), 0) << text;
    const bool tsv = text.find("NEW.tsv") != text.npos;
    return read_file(folder_ / (tsv ? "NEW.tsv" : "NEW"));
  };
  const std::vector<std::string> tsv{"--tsv", "t.tsv", "--columns", "2", "1"};
  const std::string cleaned = "a b\tc d\te\nf g\th\ti\n";
  EXPECT_THAT(result(command("control_characters", tsv)), HasSubstr(cleaned));
  EXPECT_THAT(result(command("control_characters", {"a.de", "a.en"})), HasSubstr(cleaned));
  EXPECT_THAT(result(command("carriage_returns", tsv)),
              AllOf(HasSubstr("d\te\n"), HasSubstr("\th\ti\n")));
  EXPECT_THAT(result(command("invisible_characters", tsv)), HasSubstr("\nfg\th\ti\n"));
  folder_.write("t.tsv", "می \u200cفروشیم می\u200cخرم\tx\u200cy\t1\n");
  EXPECT_EQ(result(command("invisible_characters", tsv)), "می فروشیم می\u200cخرم\txy\t1\n");
  folder_.write("t.tsv", "a\tb\t1\na\tb\t2\nc\tc\t3\n");
  EXPECT_EQ(result(command("duplicate_pairs", tsv)), "a\tb\t1\nc\tc\t3\n");
  EXPECT_EQ(result(command("copied_sources", tsv)), "a\tb\t1\na\tb\t2\n");
  EXPECT_THAT(result(command("copied_sources", {"a.de", "a.en"})),
              Not(HasSubstr("Satz Nummer 50\tdas")));
}

TEST(DataPage, HasEachFindingInChinese) {
  for (const EmbeddedFile& file : page_assets()) {
    if (file.name != "data_strings.js") continue;
    for (size_t i = 0; i < kFindings; ++i)
      EXPECT_THAT(std::string(file.content),
                  HasSubstr(fmt::format("\n  {}: [\"", text_of(FindingKind(i)).name)));
    return;
  }
  FAIL() << "no data_strings.js";
}

TEST_F(InspectDataTest, MistakesAreNamed) {
  EXPECT_THAT(run_heed({"inspect", "data", "a.de"}, folder_.path()).err, HasFacts("SOURCE TARGET"));
  const RunResult missing = run_heed({"inspect", "data", "a.de", "none"}, folder_.path());
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err, HasSubstr("none"));
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& part) {
    const RunResult result = run_heed(arguments, folder_.path());
    EXPECT_EQ(result.status, 2) << part;
    EXPECT_THAT(result.err, HasSubstr(part));
  };
  refused({"inspect", "data", "a.de", "a.en", "--length", "5"},
          "--length changes nothing: it belongs to 'heed inspect model'");
  refused({"inspect", "model", "tiny", "--test-source", "a.de"},
          "--test-source changes nothing: it belongs to 'heed inspect data'");
}

TEST_F(InspectDataTest, FilesOfUnequalLengthAreShownAndRefused) {
  folder_.write("b.en", "one\n");
  const RunResult result = run_heed({"inspect", "data", "a.de", "b.en"}, folder_.path());
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasFacts("a.de 200 lines b.en 1 line"));
  EXPECT_THAT(result.out,
              AllOf(HasFacts("1 pair"), ContainsRegex("199: Lines"), HasFacts("a.de:2")));
  folder_.write("c.en", "");
  const RunResult empty = run_heed({"inspect", "data", "c.en", "c.en"}, folder_.path());
  EXPECT_EQ(empty.status, 1);
  EXPECT_THAT(empty.err, HasFacts("c.en"));
  EXPECT_THAT(empty.out, IsEmpty());
}

TEST_F(InspectDataTest, ThePageTakesNoPlaceOfTheData) {
  const std::string source = read_file(folder_ / "a.de");
  for (const char* file : {"a.de", "a.en", "test.de", "./test.en"}) {
    const RunResult result =
        inspect({"--test-source", "test.de", "--test-target", "test.en", "--html", file});
    EXPECT_EQ(result.status, 2) << file;
    EXPECT_THAT(result.err, HasSubstr("expected another file: what is read would be lost"));
  }
  EXPECT_EQ(read_file(folder_ / "a.de"), source);
}

TEST_F(InspectDataTest, TrainingWarnsOfTheDataFirst) {
  const auto train = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "train", "--source", "a.de",        "--target",       "a.en", "--model",
        "m",     "--preset", "tiny",        "--steps",        "1",    "--vocabulary-size",
        "60",    "--quiet",  "--overwrite", "--warmup-steps", "1",    "--d-model",
        "16",    "--d-ff",   "32"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_heed(arguments, folder_.path());
  };
  const std::vector<std::string> validate{"--valid-source", "test.de", "--valid-target", "test.en"};
  const RunResult warned = train(validate);
  EXPECT_EQ(warned.status, 0) << warned.err;
  EXPECT_THAT(warned.err,
              ContainsRegex("^heed: warning: 1 of 200 pairs: Pairs that are in the test "
                            "text too \\(first: a.de:9\\)"));
  // One copy in 200 is not worth a line.
  EXPECT_THAT(train({}).err, Not(HasSubstr("pairs")));
  std::vector<std::string> silent = validate;
  silent.emplace_back("--no-inspect");
  EXPECT_THAT(train(silent).err, Not(HasSubstr("pairs")));
}

TEST_F(InspectDataTest, TrainingCountsRowsThatATabCuts) {
  std::string rows;
  for (int i = 0; i < 40; ++i)
    rows += fmt::format("eins zwei {}\teen twee {}{}\n", i, i, i == 7 ? "\tdrie" : "");
  folder_.write("t.tsv", rows);
  const auto train = [&](const std::string& more) {
    return run_heed({"train",       "--tsv",
                     "t.tsv",       "--model",
                     "m",           "--preset",
                     "tiny",        "--steps",
                     "1",           "--vocabulary-size",
                     "60",          "--quiet",
                     "--overwrite", "--warmup-steps",
                     "1",           "--d-model",
                     "16",          "--d-ff",
                     "32",          more},
                    folder_.path());
  };
  EXPECT_THAT(train("--no-inspect").err, HasFacts("1 of 40 columns t.tsv:8 --strict"));
  const RunResult strict = train("--strict");
  EXPECT_EQ(strict.status, 1);
  EXPECT_THAT(strict.err, HasFacts("t.tsv:8 columns"));
}

// The hint below the warnings is a command that can be typed, where the text can be read again.
TEST_F(InspectDataTest, SlowTrainingNamesACommandThatShowsMore) {
  std::string tabular;
  for (int i = 0; i < 200; ++i) tabular += "comment\tthe same text\tthe same text\n";
  folder_.write("my text.tsv", tabular);
  for (const char* name : {"my text.de", "my text.en"}) {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "the same text\n";
    folder_.write(name, text);
  }
  const auto hint = [&](const std::vector<std::string>& text, const std::string& fed = "") {
    std::vector<std::string> arguments{"train",
                                       "--model",
                                       "m",
                                       "--preset",
                                       "tiny",
                                       "--steps",
                                       "1",
                                       "--vocabulary-size",
                                       "20",
                                       "--overwrite",
                                       "--tokenizer",
                                       "char",
                                       "--warmup-steps",
                                       "1",
                                       "--d-model",
                                       "16",
                                       "--d-ff",
                                       "32"};
    arguments.insert(arguments.end(), text.begin(), text.end());
    const RunResult result = run_heed(arguments, folder_.path(), fed);
    EXPECT_EQ(result.status, 0) << result.err;
    for (const std::string& line : lines_of(result.err))
      if (line.find("inspect data") != line.npos) return line.substr(0, line.rfind(" shows more"));
    ADD_FAILURE() << result.err;
    return std::string();
  };
  const auto runs = [&](const std::string& command) {
    EXPECT_EQ(
        std::system(("cd '" + folder_.path().string() + "' && " + command + " >out.txt").c_str()),
        0)
        << command;
    return read_file(folder_ / "out.txt");
  };
  EXPECT_THAT(runs(hint({"--source", "my text.de", "--target", "my text.en"})),
              HasSubstr("200 pairs"));
  EXPECT_THAT(runs(hint({"--tsv", "my text.tsv", "--columns", "2", "3"})), HasSubstr("200 pairs"));
  EXPECT_THAT(
      runs(hint({"--source", "my text.de", "my text.de", "--target", "my text.en", "my text.en"})),
      HasSubstr("400 pairs"));
  EXPECT_THAT(runs(hint({"--tsv", "my text.tsv", "my text.tsv", "--columns", "2", "3"})),
              HasSubstr("400 pairs"));
  EXPECT_THAT(hint({"--source", "my text.de", "my text.de", "--target", "my text.en", "-"},
                   read_file(folder_ / "my text.en")),
              ::testing::EndsWith("SOURCE TARGET"));
  const std::string text = read_file(folder_ / "my text.de");
  for (const char* side : {"--source", "--target"}) {
    const std::string other = std::string(side) == "--source" ? "--target" : "--source";
    EXPECT_THAT(hint({side, "-", other, "my text.de"}, text),
                AllOf(HasSubstr("SOURCE TARGET"), Not(HasSubstr("my text"))));
  }
  EXPECT_THAT(hint({"--tsv", "-", "--columns", "2", "3"}, tabular), Not(HasSubstr("--tsv -")));
}

TEST(Numbers, ReadEasily) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(18944000), "18,944,000");
  EXPECT_EQ(grouped(-123456), "-123,456");
  EXPECT_EQ(percent(1, 2), "50%");
  EXPECT_EQ(percent(1, 200), "0.5%");
  EXPECT_EQ(percent(3, 200), "1.5%");
  EXPECT_EQ(percent(0, 0), "0%");
  EXPECT_EQ(percent(3, 29000), "0.01%");
}

}  // namespace
}  // namespace heed::testing
