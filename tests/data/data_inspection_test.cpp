// A corpus with one defect of each kind, and what an inspection says of it.
#include "heed/data/data_inspection.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "heed/core/rng.h"
#include "heed/text/parallel_text.h"
#include "heed/text/tokenizer_training.h"
#include "support/facts.h"
#include "support/text_files.h"

namespace heed {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Sound pairs of German and English, all different.
Pairs sound_pairs(int count) {
  const std::vector<std::pair<std::string, std::string>> who = {
      {"der alte Mann", "the old man"},
      {"die junge Frau", "the young woman"},
      {"das kleine Kind", "the small child"},
      {"mein guter Freund", "my good friend"}};
  const std::vector<std::pair<std::string, std::string>> what = {
      {"sieht heute den Hund auf der Straße", "sees the dog in the street today"},
      {"liest jeden Abend ein schönes Buch", "reads a nice book every evening"},
      {"kauft morgen Brot für die ganze Woche", "buys bread for the whole week tomorrow"}};
  Pairs pairs;
  for (int i = 0; i < count; ++i) {
    const auto& [mann, man] = who[size_t(i) % who.size()];
    const auto& [tut, does] = what[size_t(i) / who.size() % what.size()];
    pairs.emplace_back(fmt::format("{} {} mit Nummer {} .", mann, tut, i),
                       fmt::format("{} {} with number {} .", man, does, i));
  }
  return pairs;
}

class DataInspectionTest : public FolderTest {
 protected:
  InspectionFiles files(const Pairs& pairs, const std::string& name = "train") const {
    std::string source, target;
    for (const auto& [left, right] : pairs) {
      source += left + "\n";
      target += right + "\n";
    }
    return {{write(name + ".de", source)}, {write(name + ".en", target)}, {}, {}};
  }

  DataReport inspect(const InspectionFiles& files, const InspectionOptions& options = {},
                     const TokenizerPair* tokenizers = nullptr, int threads = 2) const {
    Workers workers(threads);
    return inspect_data(files, options, tokenizers, workers);
  }

  // Sound pairs, of which those with the numbers given are put in place of line 100, 101, ...
  DataReport inspect_with(const Pairs& odd) const {
    Pairs pairs = sound_pairs(300);
    for (size_t i = 0; i < odd.size(); ++i) pairs[99 + i] = odd[i];
    return inspect(files(pairs));
  }
};

// The kinds that the report has, but for those expected.
std::set<std::string> kinds(const DataReport& report) {
  std::set<std::string> found;
  for (const Finding& finding : report.findings) {
    if (finding.pairs > 0) found.emplace(text_of(finding.kind).name);
  }
  return found;
}

// The report has this finding and no other, shown by the pair on line 100 alone.
void expect_only(const DataReport& report, FindingKind kind, const std::string& note = "") {
  const std::string name(text_of(kind).name);
  EXPECT_THAT(kinds(report), ElementsAre(name));
  EXPECT_EQ(report[kind].pairs, 1) << name;
  ASSERT_THAT(report[kind].examples, SizeIs(1)) << name;
  EXPECT_EQ(report[kind].examples[0].line, 100) << name;
  EXPECT_THAT(report[kind].examples[0].note, HasSubstr(note));
}

// What programs read must not change; texts follow the kinds' order.
TEST(FindingText, EveryKindHasItsOwn) {
  const std::pair<FindingKind, std::string_view> names[] = {
      {FindingKind::unequal_lines, "unequal_lines"},
      {FindingKind::shifted_lines, "shifted_lines"},
      {FindingKind::missing_column, "missing_column"},
      {FindingKind::extra_columns, "extra_columns"},
      {FindingKind::invalid_utf8, "invalid_utf8"},
      {FindingKind::empty, "empty"},
      {FindingKind::test_pairs, "test_pairs"},
      {FindingKind::test_sources, "test_sources"},
      {FindingKind::duplicate_pairs, "duplicate_pairs"},
      {FindingKind::several_targets, "several_targets"},
      {FindingKind::copied_sources, "copied_sources"},
      {FindingKind::untranslated, "untranslated"},
      {FindingKind::wrong_script, "wrong_script"},
      {FindingKind::length_ratio, "length_ratio"},
      {FindingKind::different_placeholders, "different_placeholders"},
      {FindingKind::different_tags, "different_tags"},
      {FindingKind::different_numbers, "different_numbers"},
      {FindingKind::too_long, "too_long"},
      {FindingKind::double_encoded, "double_encoded"},
      {FindingKind::replacement_characters, "replacement_characters"},
      {FindingKind::control_characters, "control_characters"},
      {FindingKind::invisible_characters, "invisible_characters"},
      {FindingKind::carriage_returns, "carriage_returns"},
      {FindingKind::unknown_tokens, "unknown_tokens"}};
  EXPECT_EQ(std::size(names), kFindings);
  for (const auto& [kind, name] : names) {
    EXPECT_EQ(text_of(kind).name, name);
    EXPECT_THAT(text_of(kind).title, Not(IsEmpty()));
    EXPECT_THAT(text_of(kind).advice, Not(IsEmpty()));
  }
}

// Pairs whose lengths go together, or, where those say nothing, their question marks.
enum class Bond { lengths, questions };
Pairs bound_pairs(int count, Bond bond) {
  Pairs pairs;
  for (int i = 0; i < count; ++i) {
    const uint64_t random = detail::mix(7, uint64_t(i));
    std::string left = fmt::format("der Satz {:05}", i), right = fmt::format("the phrase {:05}", i);
    for (uint64_t k = 0; bond == Bond::lengths && k < random % 13; ++k)
      left += " Wort", right += " word";
    const char* const mark = bond == Bond::questions && random % 5 == 0 ? "?" : ".";
    pairs.emplace_back(left + mark, right + mark);
  }
  return pairs;
}

// The pairs with a target too many before line `line`, from 1.
Pairs with_extra_target(Pairs pairs, size_t line) {
  for (size_t i = pairs.size() - 1; i >= line; --i) pairs[i].second = pairs[i - 1].second;
  pairs[line - 1].second = "a line that was split.";
  return pairs;
}

TEST_F(DataInspectionTest, ATargetThatIsALineOffIsNoticed) {
  for (const Bond bond : {Bond::lengths, Bond::questions}) {
    const Pairs sound = bound_pairs(1200, bond);
    EXPECT_EQ(inspect(files(sound))[FindingKind::shifted_lines].pairs, 0);
    const Finding late = inspect(files(with_extra_target(sound, 301)))[FindingKind::shifted_lines];
    EXPECT_EQ(late.pairs, 700) << "the first block is sound for the most part";
    ASSERT_THAT(late.examples, Not(IsEmpty()));
    EXPECT_EQ(late.examples[0].line, 501);
    EXPECT_THAT(late.examples[0].note, HasFacts("500 pairs after"));
    Pairs swapped = with_extra_target(sound, 1);
    for (auto& [left, right] : swapped) std::swap(left, right);
    const DataReport report = inspect(files(swapped));
    EXPECT_EQ(report[FindingKind::shifted_lines].pairs, 1200);
    EXPECT_THAT(report[FindingKind::shifted_lines].examples.at(0).note, HasFacts("before"));
    EXPECT_THAT(warnings(report, 0.005), Contains(HasFacts("1200 shifted train.de:1")));
  }
}

// Two lines lost in the middle and two added at the end, or twelve at once.
TEST_F(DataInspectionTest, AShiftOfSeveralLinesIsNoticed) {
  for (const size_t lines : {2, 12}) {
    const Pairs sound = bound_pairs(2000, Bond::lengths);
    Pairs shifted = sound;
    for (size_t i = 700; i + lines < shifted.size(); ++i)
      shifted[i].second = sound[i + lines].second;
    for (size_t i = shifted.size() - lines; i < shifted.size(); ++i)
      shifted[i].second = "a line that was added.";
    const Finding found = inspect(files(shifted))[FindingKind::shifted_lines];
    EXPECT_GE(found.pairs, 1000) << lines;
    ASSERT_THAT(found.examples, Not(IsEmpty()));
    EXPECT_THAT(found.examples.back().note, HasFacts(fmt::format("{} lines before", lines)));
    EXPECT_EQ(int64_t(found.lines.at(0).lines.size()), found.pairs);
    EXPECT_EQ(found.lines.at(0).lines.back(), 2000u);
  }
}

TEST_F(DataInspectionTest, AnotherEncodingIsNamedInTheAdvice) {
  std::string chinese, wide;
  const std::string english = "It rains.\nThe dog sees a cat.\n";
  for (int i = 0; i < 10; ++i)
    chinese += "\xbd\xf1\xcc\xec\xcf\xc2\xd3\xea\xa1\xa3\n\xb9\xb7\xbf\xb4\xc3\xa8\xa1\xa3\n";
  for (const char c : english) wide += {c, '\0'};
  const DataReport report = inspect({{write("s", chinese)}, {write("t", wide)}, {}, {}});
  EXPECT_THAT(std::string(advice_for(report[FindingKind::invalid_utf8])),
              HasFacts("source iconv GB18030 target UTF-16LE"));
  EXPECT_THAT(std::string(advice_for(report[FindingKind::control_characters])),
              HasFacts("UTF-16LE"));
  EXPECT_THAT(
      std::string(advice_for(inspect_with({{"K\xe4se", "cheese"}})[FindingKind::invalid_utf8])),
      HasFacts("WINDOWS-1252"));
}

TEST_F(DataInspectionTest, SoundTextHasNoFinding) {
  const DataReport report = inspect(files(sound_pairs(300)));
  EXPECT_THAT(kinds(report), IsEmpty());
  EXPECT_EQ(report.pairs, 300);
  EXPECT_FALSE(report.first_pairs_only);
  EXPECT_THAT(warnings(report, 0), IsEmpty());
}

TEST_F(DataInspectionTest, EachDefectIsFoundAloneAndWithItsLine) {
  expect_only(inspect_with({{"", "a lonely sentence"}}), FindingKind::empty);
  expect_only(inspect_with({{" \t", " "}}), FindingKind::empty);
  expect_only(inspect_with({{"der Hund mit \xFF Nummer", "the dog with number one ."}}),
              FindingKind::invalid_utf8, "byte 14 of the source");
  expect_only(inspect_with({{"der Hund auf der Straße", "the dog \uFFFD in the street"}}),
              FindingKind::replacement_characters);
  expect_only(inspect_with({{"der Hund auf der StraÃŸe", "the dog in the street"}}),
              FindingKind::double_encoded, "was: der Hund auf der Straße");
  expect_only(inspect_with({{"der Hund auf der Straße", "the dog\x02 in the street"}}),
              FindingKind::control_characters);
  expect_only(inspect_with({{"der Hund auf der Straße\r", "the dog in the street\r"}}),
              FindingKind::carriage_returns);
  expect_only(inspect_with({{"собака идёт по улице", "the dog in the street"}}),
              FindingKind::wrong_script, "the source is cyrillic");
  expect_only(inspect_with({{"der Hund auf der Straße", "狗在街上跑过来"}}),
              FindingKind::wrong_script, "the target is han");
  expect_only(inspect_with({{"Angela Merkel in Berlin", "Angela Merkel in Berlin"}}),
              FindingKind::copied_sources);
  expect_only(
      inspect_with({{"ja", "the old man sees the dog in the street with a book , I believe"}}),
      FindingKind::length_ratio, "off by a factor");
}

TEST_F(DataInspectionTest, NamesOfAnotherScriptAreNormal) {
  const auto chinese = [&](const Pairs& odd) {
    Pairs pairs;
    for (int i = 0; i < 300; ++i)
      pairs.emplace_back(fmt::format("这是一个没有名字的第{}句子。", i),
                         fmt::format("this is sentence number {} without any names .", i));
    for (size_t i = 0; i < odd.size(); ++i) pairs[99 + i] = odd[i];
    return inspect(files(pairs));
  };
  for (const char* source :
       {"我叫Muiriel。", "Muiriel现在20岁了。", "Tom和Mary在Boston。",
        "Mary Smith和John Jackson来了", "Windows XP", "IBM", "我在Stack Overflow上问了"})
    EXPECT_EQ(chinese({{source, "so he said ."}})[FindingKind::wrong_script].pairs, 0) << source;
  expect_only(chinese({{"the dog runs here", "this is number 0 ."}}), FindingKind::wrong_script,
              "the source is latin");
  expect_only(chinese({{"去Tokyo的人很多。", "这句话没有翻译这句话没有"}}),
              FindingKind::wrong_script, "the target is han");
  EXPECT_THAT(
      kinds(inspect_with({{"Herr Müller heißt auf Russisch Мюллер", "Mr Müller is Мюллер"},
                          {"das Zeichen 水 heißt Wasser", "the character 水 means water"}})),
      IsEmpty());
}

TEST_F(DataInspectionTest, MissingColumnsAreFound) {
  Pairs pairs = sound_pairs(300);
  std::string text;
  for (size_t i = 0; i < pairs.size(); ++i)
    text += pairs[i].first + (i == 99 ? "" : "\t" + pairs[i].second) + "\n";
  const TextFile file = write("t.tsv", text);
  expect_only(inspect({{file.column(1)}, {file.column(2)}, {}, {}}), FindingKind::missing_column);
}

TEST_F(DataInspectionTest, RowsWithMoreColumnsThanTheOthersAreFound) {
  Pairs pairs = sound_pairs(300);
  const auto table = [&](const std::string& more) {
    std::string text;
    for (size_t i = 0; i < pairs.size(); ++i)
      text += pairs[i].first + "\t" + pairs[i].second + (i == 99 ? "\tdrie" : "") + more + "\n";
    return write("t.tsv", text);
  };
  for (const char* more : {"", "\tCC BY"}) {
    const TextFile file = table(more);
    expect_only(inspect({{file.column(1)}, {file.column(2)}, {}, {}}), FindingKind::extra_columns,
                *more == '\0' ? "3 columns, most lines have 2" : "4 columns, most lines have 3");
  }
  // A column of remarks, and many columns.
  const std::string many(detail::ColumnCounts::kMaxColumns + 6, '\t');
  const TextFile wide = write("wide.tsv", "a b\tc d" + many + "\ng h\ti j" + many + "\n");
  EXPECT_THAT(kinds(inspect({{wide.column(2)}, {wide.column(1)}, {}, {}})), IsEmpty());
  const TextFile one = write("two.tsv", "a b\tc d\te f\ng h\ti j\tk l\n");
  EXPECT_THAT(kinds(inspect({{one.column(2)}, {one.column(1)}, {}, {}})), IsEmpty());
  // Every file has its own number of columns.
  const TextFile two = write("three.tsv", "m n\to p\nq r\ts t\nu v\tw x\n");
  EXPECT_THAT(
      kinds(inspect({{one.column(1), two.column(1)}, {one.column(2), two.column(2)}, {}, {}})),
      IsEmpty());
}

TEST_F(DataInspectionTest, PartsThatATranslationRepeatsAreCompared) {
  expect_only(inspect_with({{"der Hund auf Platz 17 bellt", "the dog in place 18 barks"}}),
              FindingKind::different_numbers, "only in the source: 17; only in the target: 18");
  expect_only(inspect_with({{"%d Hunde auf der Straße", "dogs in the street"}}),
              FindingKind::different_placeholders, "only in the source: %d");
  expect_only(inspect_with({{"der <b>Hund</b> auf der Straße", "the <b>dog in the street"}}),
              FindingKind::different_tags, "only in the source: </b>");
  expect_only(inspect_with({{"der Hund auf der Straße", "the dog\u200b in the street"}}),
              FindingKind::invisible_characters, "U+200B in the target");
}

// A cut, a repeated and a line without a partner: every line is listed, examples or not.
TEST_F(DataInspectionTest, EveryLineOfAFindingIsListed) {
  Pairs pairs = sound_pairs(300);
  for (const size_t i : {3, 70, 71}) pairs[i].second += " 4711";
  for (const size_t i : {200, 250}) pairs[i] = pairs[16];
  InspectionFiles all = files(pairs, "one");
  const InspectionFiles more = files(pairs, "two");
  all.source.push_back(more.source[0]);
  all.target.push_back(more.target[0]);
  write("one.de", FolderTest::read(folder_ / "one.de") + "eins\nzwei\n");
  const DataReport report = inspect(all, {.examples = 0});
  const Finding& numbers = report[FindingKind::different_numbers];
  ASSERT_THAT(numbers.lines, SizeIs(2));
  EXPECT_THAT(numbers.lines[0].source_file, HasSubstr("one.de"));
  EXPECT_THAT(numbers.lines[0].lines, ElementsAre(4, 71, 72));
  EXPECT_THAT(numbers.lines[1].target_file, HasSubstr("two.en"));
  EXPECT_THAT(numbers.lines[1].lines, ElementsAre(4, 71, 72));
  EXPECT_TRUE(numbers.all_listed());
  EXPECT_THAT(report[FindingKind::duplicate_pairs].lines.at(0).lines, ElementsAre(201, 251));
  EXPECT_THAT(report[FindingKind::duplicate_pairs].lines.at(1).lines, SizeIs(300));
  EXPECT_THAT(report[FindingKind::unequal_lines].lines.at(0).lines, ElementsAre(301, 302));
}

// One to the model: composed or not, in full width, with other spaces.
TEST_F(DataInspectionTest, TextThatNormalizationMakesEqualIsRepeated) {
  Pairs pairs = sound_pairs(300);
  pairs[99] = {"die schöne Straße.", "the nice street."};
  const std::pair<std::string, std::string> same[] = {
      {"die scho\u0308ne Straße.", "the nice street."},
      {"die schöne Straße.", "the nice street．"},
      {"die\u00A0schöne  Straße.", "the nice street."}};
  for (size_t i = 0; i < 3; ++i) pairs[150 + i] = same[i];
  const DataReport report = inspect(files(pairs));
  EXPECT_THAT(kinds(report), ElementsAre("duplicate_pairs"));
  EXPECT_EQ(report[FindingKind::duplicate_pairs].pairs, 3);
  InspectionFiles all = files({pairs.begin(), pairs.begin() + 150});
  const InspectionFiles test = files({same[0], same[1], {"neu", "new"}}, "test");
  all.test_source = test.source;
  all.test_target = test.target;
  EXPECT_EQ(inspect(all)[FindingKind::test_pairs].pairs, 1);
  EXPECT_THAT(inspect(all)[FindingKind::test_pairs].lines.at(0).lines, ElementsAre(100));
}

TEST_F(DataInspectionTest, NumbersMayBeCopied) {
  EXPECT_THAT(kinds(inspect_with({{"1984 - 2024", "1984 - 2024"}})), IsEmpty());
}

TEST_F(DataInspectionTest, UntranslatedPairsAreFoundOnEitherSide) {
  // Another German sentence, an English source, and a target that changed one word of its source.
  const auto kind = FindingKind::untranslated;
  expect_only(
      inspect_with({{"der alte Mann kauft morgen das Brot", "die junge Frau sieht den Hund"}}),
      kind, "the target uses the source's words");
  expect_only(inspect_with({{"the old man reads a nice book", "the young woman sees the dog"}}),
              kind, "the source uses the target's words");
  expect_only(inspect_with({{"Xaver Yps Zett Quark GmbH", "Xaver Yps Zett Quark Inc"}}), kind);
}

TEST_F(DataInspectionTest, WordsOfTheirOwnScriptAreTranslated) {
  Pairs pairs;
  for (int i = 0; i < 60; ++i)
    pairs.emplace_back(fmt::format("print the list number {}", i),
                       fmt::format("打印第{}个列表", i));
  pairs[30] = {"if a in b: run c # print the list", "if a in b: run c # 打印列表"};
  EXPECT_THAT(kinds(inspect(files(pairs))), IsEmpty());
  pairs[30].second = "if a in b: run c # print a list";
  EXPECT_THAT(kinds(inspect(files(pairs))), ElementsAre("wrong_script"));
}

TEST_F(DataInspectionTest, RepeatedPairsNameTheFirst) {
  Pairs pairs = sound_pairs(300);
  pairs[99] = pairs[16];
  pairs[199] = pairs[16];
  pairs[149].first = pairs[20].first;
  const DataReport report = inspect(files(pairs));
  EXPECT_THAT(kinds(report),
              ElementsAre("different_numbers", "duplicate_pairs", "several_targets"));
  const Finding& duplicates = report[FindingKind::duplicate_pairs];
  EXPECT_EQ(duplicates.pairs, 2);
  EXPECT_FALSE(duplicates.estimated);
  ASSERT_THAT(duplicates.examples, SizeIs(2));
  EXPECT_EQ(duplicates.examples[1].line, 200);
  EXPECT_EQ(duplicates.examples[1].note, "first in line 17");
  EXPECT_EQ(duplicates.examples[1].source, pairs[16].first);
  const Finding& targets = report[FindingKind::several_targets];
  EXPECT_EQ(targets.pairs, 1);
  EXPECT_EQ(targets.examples[0].line, 150);
  EXPECT_EQ(targets.examples[0].note, "another target in line 21");
}

TEST_F(DataInspectionTest, SeveralFilesKeepTheirOwnLineNumbers) {
  const InspectionFiles first = files(sound_pairs(50), "one");
  InspectionFiles all = files(sound_pairs(30), "two");
  all.source.insert(all.source.begin(), first.source[0]);
  all.target.insert(all.target.begin(), first.target[0]);
  const DataReport report = inspect(all, {.examples = 1});
  const Finding& duplicates = report[FindingKind::duplicate_pairs];
  EXPECT_EQ(duplicates.pairs, 30);
  ASSERT_THAT(duplicates.examples, SizeIs(1));
  EXPECT_THAT(duplicates.examples[0].source_file, HasSubstr("two.de"));
  EXPECT_EQ(duplicates.examples[0].line, 1);
  EXPECT_THAT(duplicates.examples[0].note, HasSubstr("first in line 1 of"));
  EXPECT_THAT(duplicates.examples[0].note, HasSubstr("one.de"));
}

TEST_F(DataInspectionTest, MissingLinesAreCountedAndPassedOver) {
  const Pairs pairs = sound_pairs(100);
  InspectionFiles uneven = files(pairs);
  write("train.de", FolderTest::read(folder_ / "train.de") + "eins\nzwei\n");
  const InspectionFiles more = files(sound_pairs(20), "more");
  uneven.source.push_back(more.source[0]);
  uneven.target.push_back(more.target[0]);
  const DataReport report = inspect(uneven);
  EXPECT_EQ(report.pairs, 120);
  EXPECT_EQ(report[FindingKind::unequal_lines].pairs, 2);
  EXPECT_EQ(report[FindingKind::unequal_lines].examples.at(0).line, 101);
  EXPECT_THAT(warnings(report, 0.5), IsEmpty());  // training refuses them itself
}

// Of endless files only the pairs that are asked for are read.
TEST_F(DataInspectionTest, MissingLinesAreCountedAmongThoseAskedForOnly) {
  InspectionFiles uneven = files(sound_pairs(100));
  uneven.target = {write("short.en", "one\ntwo\n")};
  const auto unequal = [&](int64_t pairs) {
    return inspect(uneven, {.pairs = pairs})[FindingKind::unequal_lines];
  };
  EXPECT_EQ(unequal(0).pairs, 98);
  EXPECT_THAT(unequal(0).examples.at(0).note, HasFacts("train.de 100 lines short.en 2"));
  EXPECT_EQ(unequal(10).pairs, 8);
  EXPECT_THAT(unequal(10).examples.at(0).note, HasFacts("train.de least 10 short.en 2"));
  EXPECT_EQ(unequal(2).pairs, 0);
}

TEST_F(DataInspectionTest, TextWithoutAPairIsRefused) {
  const InspectionFiles some = files(sound_pairs(3)), none = files({}, "none");
  EXPECT_THAT(error_of([&] { inspect(none); }), HasFacts("none.de none.en"));
  EXPECT_THAT(error_of([&] {
                inspect({some.source, none.target, {}, {}});
              }),
              HasFacts("train.de 3 lines none.en 0"));
  EXPECT_THAT(error_of([&] {
                inspect({none.source, some.target, {}, {}});
              }),
              HasFacts("none.de 0 lines train.en 3"));
}

TEST_F(DataInspectionTest, OverlapWithATestIsFound) {
  const Pairs pairs = sound_pairs(300);
  InspectionFiles all = files(pairs);
  const InspectionFiles test =
      files({pairs[3], {pairs[4].first, "another translation"}, {"neu hier", "new here"}}, "test");
  all.test_source = test.source;
  all.test_target = test.target;
  const DataReport report = inspect(all);
  EXPECT_THAT(kinds(report), ElementsAre("test_pairs", "test_sources"));
  EXPECT_EQ(report[FindingKind::test_pairs].pairs, 1);
  EXPECT_EQ(report[FindingKind::test_pairs].examples.at(0).line, 4);
  EXPECT_EQ(report[FindingKind::test_sources].pairs, 1);
  EXPECT_EQ(report[FindingKind::test_sources].examples.at(0).line, 5);
  EXPECT_EQ(report.source.test.lines, 3);
  EXPECT_EQ(report.source.test.lines_seen, 2);
  EXPECT_EQ(report.target.test.lines_seen, 1);
  // "neu hier" on one side, "another translation" and "new here" on the other.
  EXPECT_EQ(report.source.test.unseen_words, 2);
  EXPECT_EQ(report.target.test.unseen_words, 4);
  // One pair of the test is worth a warning, whatever the share.
  EXPECT_THAT(warnings(report, 0.5), ElementsAre(HasSubstr("1 of 300 pairs")));
}

TEST_F(DataInspectionTest, ATestOfUnequalLengthIsRefused) {
  InspectionFiles all = files(sound_pairs(10));
  all.test_source = {write("test.de", "eins\nzwei\ndrei\n")};
  all.test_target = {write("test.en", "one\n")};
  try {
    inspect(all);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasFacts("test.de 3 test.en 1 line"));
  }
  all.test_target.clear();  // one side alone is no pair
  EXPECT_EQ(inspect(all).source.test.lines, 3);
}

TEST_F(DataInspectionTest, CountsLengthsWordsAndLetters) {
  const DataReport report = inspect(files({{"ä b", "x"}, {"ä c d", "x"}, {"ä", "x y Ж"}}));
  EXPECT_EQ(report.source.words.sum(), 6);
  EXPECT_EQ(report.source.words.quantile(0.5), 2);
  EXPECT_EQ(report.source.words.max(), 3);
  EXPECT_EQ(report.source.characters.max(), 5);
  EXPECT_EQ(report.source.vocabulary.types, 4);
  EXPECT_EQ(report.source.vocabulary.singletons, 3);
  EXPECT_EQ(report.target.letters[size_t(Script::latin)], 4);
  EXPECT_EQ(report.target.letters[size_t(Script::cyrillic)], 1);
  EXPECT_EQ(report.source.tokens.count(), 0);
  int64_t pairs = 0;
  for (const int64_t bin : report.ratios) pairs += bin;
  EXPECT_EQ(pairs, 3);
}

TEST_F(DataInspectionTest, TokenizersTellPiecesAndWhatTheyLack) {
  Pairs pairs = sound_pairs(300);
  const InspectionFiles learnt = files(pairs, "learnt");
  const TokenizerPair tokenizers = TokenizerPair::joint(
      train_tokenizer({.vocabulary_size = 100}, std::vector{learnt.source[0], learnt.target[0]}));
  pairs[99] = {"der Hund § auf der Straße", "the dog in the street"};
  const DataReport report = inspect(files(pairs), {}, &tokenizers);
  expect_only(report, FindingKind::unknown_tokens);
  EXPECT_EQ(report.source.vocabulary_use.unknown, 1);
  EXPECT_EQ(report.source.vocabulary_use.vocabulary, 100);
  EXPECT_GT(report.source.vocabulary_use.used, 50);
  EXPECT_EQ(report.source.vocabulary_use.tokens, report.source.tokens.sum());
  EXPECT_GT(report.source.tokens.sum(), report.source.words.sum());
  EXPECT_EQ(
      inspect(files(pairs), {.max_sentence_tokens = 10}, &tokenizers)[FindingKind::too_long].pairs,
      300);
}

// SentencePiece takes seconds and gigabytes for a line of some megabytes.
TEST_F(DataInspectionTest, OnlyTheBeginningOfALongLineIsTokenized) {
  Pairs pairs = sound_pairs(300);
  const InspectionFiles learnt = files(pairs, "learnt");
  const TokenizerPair tokenizers = TokenizerPair::joint(
      train_tokenizer({.vocabulary_size = 100}, std::vector{learnt.source[0], learnt.target[0]}));
  for (int i = 0; i < 400'000; ++i) pairs[99].second += " x";
  const DataReport report = inspect(files(pairs), {.max_sentence_tokens = 4000}, &tokenizers);
  EXPECT_EQ(report[FindingKind::too_long].pairs, 1);
  EXPECT_THAT(report[FindingKind::too_long].examples.at(0).note, HasSubstr("more than"));
  EXPECT_GT(report.target.tokens.max(), 4000);
  EXPECT_LT(report.target.tokens.max(), 300'000);
  EXPECT_EQ(report.target.tokens.quantile(0.99),
            inspect(learnt, {}, &tokenizers).target.tokens.quantile(0.99));
}

TEST_F(DataInspectionTest, OptionsAreHeeded) {
  Pairs pairs = sound_pairs(300);
  pairs[99].second += " and so on and so on and so on and so on";
  for (size_t i = 0; i < 9; ++i) pairs[200 + i] = pairs[i];
  const InspectionFiles all = files(pairs);
  EXPECT_EQ(inspect(all)[FindingKind::length_ratio].pairs, 0);
  EXPECT_EQ(inspect(all, {.max_ratio_deviation = 1.5})[FindingKind::length_ratio].pairs, 1);
  EXPECT_EQ(inspect(all)[FindingKind::too_long].pairs, 0);
  EXPECT_EQ(inspect(all, {.max_sentence_tokens = 15})[FindingKind::too_long].pairs, 1);
  EXPECT_THAT(inspect(all)[FindingKind::duplicate_pairs].examples, SizeIs(5));
  EXPECT_THAT(inspect(all, {.examples = 7})[FindingKind::duplicate_pairs].examples, SizeIs(7));
  const DataReport first = inspect(all, {.pairs = 205});
  EXPECT_EQ(first.pairs, 205);
  EXPECT_TRUE(first.first_pairs_only);
  EXPECT_EQ(first[FindingKind::duplicate_pairs].pairs, 5);
  EXPECT_FALSE(inspect(all, {.pairs = 301}).first_pairs_only);
  EXPECT_THROW(inspect(all, {.max_ratio_deviation = 1}), UsageError);
  EXPECT_THROW(inspect({all.source, {}, {}, {}}), UsageError);
  EXPECT_THAT(error_of([&] {
                inspect({{folder_ / "none"}, all.target, {}, {}});
              }),
              HasSubstr("none"));
}

TEST_F(DataInspectionTest, FullTablesEstimate) {
  Pairs pairs = sound_pairs(30'000);
  for (size_t i = 20'000; i < 30'000; ++i) pairs[i] = pairs[i - 20'000];
  const InspectionFiles all = files(pairs);
  const DataReport exact = inspect(all), estimated = inspect(all, {.max_table_entries = 2048});
  EXPECT_EQ(exact[FindingKind::duplicate_pairs].pairs, 10'000);
  EXPECT_TRUE(estimated[FindingKind::duplicate_pairs].estimated);
  EXPECT_NEAR(double(estimated[FindingKind::duplicate_pairs].pairs), 10'000, 1500);
  EXPECT_NEAR(double(estimated.source.vocabulary.types), double(exact.source.vocabulary.types),
              0.15 * double(exact.source.vocabulary.types));
  EXPECT_TRUE(estimated.source.vocabulary.estimated);
}

TEST_F(DataInspectionTest, ThreadsChangeNothing) {
  Pairs pairs = sound_pairs(2000);
  for (size_t i = 0; i < 300; ++i) pairs[1000 + 3 * i].second = pairs[i].first;
  const InspectionFiles all = files(pairs);
  const DataReport one = inspect(all, {}, nullptr, 1), three = inspect(all, {}, nullptr, 3);
  EXPECT_GT(one[FindingKind::untranslated].pairs, 250);
  for (size_t i = 0; i < kFindings; ++i) {
    EXPECT_EQ(one.findings[i].pairs, three.findings[i].pairs);
    ASSERT_EQ(one.findings[i].examples.size(), three.findings[i].examples.size());
    for (size_t k = 0; k < one.findings[i].examples.size(); ++k) {
      EXPECT_EQ(one.findings[i].examples[k].line, three.findings[i].examples[k].line);
    }
  }
}

}  // namespace
}  // namespace heed
