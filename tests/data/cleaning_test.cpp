#include "heed/data/cleaning.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Pairs = std::vector<std::pair<std::string, std::string>>;

// The names of the findings for which a pair is dropped, by its line, and what is kept.
struct Cleaned {
  std::map<int64_t, std::vector<std::string>> dropped;
  std::vector<std::string> notes;
  Pairs kept;
  CleaningReport report;
};

class CleaningTest : public FolderTest {
 protected:
  static Pairs sound(int count = 120) {
    Pairs pairs;
    for (int i = 0; i < count; ++i)
      pairs.emplace_back(fmt::format("der alte Mann liest das Buch Nummer {} .", i),
                         fmt::format("the old man reads the book number {} .", i));
    return pairs;
  }
  // The first pairs are those given, the others sound.
  static Pairs beginning_with(const Pairs& first) {
    Pairs pairs = sound();
    std::ranges::copy(first, pairs.begin());
    return pairs;
  }
  TextFiles side(const Pairs& pairs, const std::string& name,
                 std::string Pairs::value_type::*of) const {
    std::string text;
    for (const auto& pair : pairs) text += pair.*of + "\n";
    return {TextFile(write(name, text))};
  }
  Cleaned clean(const Pairs& pairs, const CleaningOptions& options = {}, const Pairs& test = {},
                int threads = 2) const {
    InspectionFiles files{side(pairs, "a.de", &Pairs::value_type::first),
                          side(pairs, "a.en", &Pairs::value_type::second),
                          {},
                          {}};
    if (!test.empty()) {
      files.test_source = side(test, "test.de", &Pairs::value_type::first);
      files.test_target = side(test, "test.en", &Pairs::value_type::second);
    }
    Workers workers(threads);
    Cleaned cleaned;
    cleaned.report = clean_data(files, options, workers, [&](const CleanedPair& pair) {
      if (pair.kept()) cleaned.kept.emplace_back(pair.clean_source, pair.clean_target);
      for (const DropReason& reason : pair.reasons) {
        cleaned.dropped[pair.line].emplace_back(text_of(reason.kind).name);
        cleaned.notes.push_back(reason.note);
      }
    });
    EXPECT_EQ(cleaned.report.kept, int64_t(cleaned.kept.size()));
    EXPECT_EQ(cleaned.report.pairs - cleaned.report.kept, int64_t(cleaned.dropped.size()));
    return cleaned;
  }
};

TEST_F(CleaningTest, SoundPairsAreKeptAsTheyAre) {
  Cleaned cleaned = clean(sound());
  EXPECT_EQ(cleaned.kept, sound());
  EXPECT_EQ(cleaned.report.repaired, 0);
}

TEST_F(CleaningTest, EachFindingDropsItsPair) {
  Cleaned cleaned = clean(beginning_with({{"", "empty"},
                                          {"die Seite 12 fehlt .", "page 21 is missing ."},
                                          {"%s wurde geladen", "the file was loaded"},
                                          {"<b>zwei</b> Worte", "two words"},
                                          {"das alte Buch", "das alte Buch"},
                                          {"ja .", std::string(90, 'a') + "h yes ."},
                                          {"gut\xff", "good"}}));
  EXPECT_THAT(cleaned.dropped[1], ElementsAre("empty"));
  EXPECT_THAT(cleaned.dropped[2], ElementsAre("different_numbers"));
  EXPECT_THAT(cleaned.dropped[3], ElementsAre("different_placeholders"));
  EXPECT_THAT(cleaned.dropped[4], ElementsAre("different_tags"));
  EXPECT_THAT(cleaned.dropped[5], ElementsAre("copied_sources"));
  EXPECT_THAT(cleaned.dropped[6], ElementsAre("length_ratio"));
  EXPECT_THAT(cleaned.dropped[7], ElementsAre("invalid_utf8"));
  EXPECT_EQ(cleaned.dropped.size(), 7u);
  EXPECT_EQ(cleaned.notes[1], "only in the source: 12; only in the target: 21");
  EXPECT_EQ(cleaned.report.dropped_for[size_t(FindingKind::different_tags)], 1);
}

TEST_F(CleaningTest, OfRepeatedPairsTheFirstThatIsKeptStays) {
  Pairs pairs = sound();
  pairs[50] = pairs[70] = pairs[3];
  pairs[60] = {pairs[3].first, pairs[3].second + " %s"};
  Cleaned cleaned = clean(pairs);
  EXPECT_THAT(cleaned.dropped[51], ElementsAre("duplicate_pairs"));
  EXPECT_THAT(cleaned.dropped[61], ElementsAre("different_placeholders"));
  EXPECT_THAT(cleaned.dropped[71], ElementsAre("duplicate_pairs"));
  EXPECT_EQ(cleaned.notes.front(), "first in line 4");
  EXPECT_EQ(cleaned.dropped.size(), 3u);
}

TEST_F(CleaningTest, PairsOfTheTestSetAreDropped) {
  const Pairs pairs = sound();
  Cleaned cleaned = clean(pairs, {}, {pairs[10], {pairs[20].first, "another translation"}});
  EXPECT_THAT(cleaned.dropped[11], ElementsAre("test_pairs"));
  EXPECT_THAT(cleaned.dropped[21], ElementsAre("test_sources"));
  EXPECT_EQ(cleaned.dropped.size(), 2u);
}

TEST_F(CleaningTest, TextIsRepairedBeforeItIsJudged) {
  const Pairs first{{"Ã¼ber die BrÃ¼cke\r", "over the bridge"},
                    {"das alte\u200b Haus", "the old house"}};
  Cleaned cleaned = clean(beginning_with(first));
  EXPECT_THAT(cleaned.dropped, IsEmpty());
  EXPECT_EQ(cleaned.report.repaired, 2);
  EXPECT_EQ(cleaned.kept[0].first, "über die Brücke");
  EXPECT_EQ(cleaned.kept[1].first, "das alte Haus");
  CleaningOptions options;
  options.repair = false;
  Cleaned left = clean(beginning_with(first), options);
  EXPECT_THAT(left.dropped[1], ElementsAre("double_encoded"));
  EXPECT_EQ(left.kept[0].first, first[1].first);
}

TEST_F(CleaningTest, FindingsAreChosenByName) {
  const Pairs pairs = beginning_with({{"das alte Buch", "das alte Buch"},
                                      {"die Seite 12 fehlt .", "page 21 is missing ."},
                                      {"", "nothing"}});
  CleaningOptions options;
  options.keep = {"copied_sources"};
  EXPECT_FALSE(clean(pairs, options).dropped.contains(1));
  options.keep.clear();
  options.drop = {"copied_sources"};
  Cleaned some = clean(pairs, options);
  EXPECT_TRUE(some.dropped.contains(1));
  EXPECT_FALSE(some.dropped.contains(2));
  EXPECT_TRUE(some.dropped.contains(3));  // there is no pair to keep
  options.drop = {"too_long"};
  options.max_words = 8;
  EXPECT_EQ(clean(pairs, options).dropped.size(), 118u);
  const auto refused = [&](const std::vector<std::string>& drop,
                           const std::vector<std::string>& keep) {
    options.drop = drop;
    options.keep = keep;
    return error_of([&] { clean(pairs, options); });
  };
  EXPECT_THAT(refused({"different_number"}, {}),
              HasFacts("--drop different_number 'different_numbers'"));
  EXPECT_THAT(refused({"shifted_lines"}, {}), HasSubstr("not one of single pairs"));
  EXPECT_THAT(refused({"empty"}, {"length_ratio"}), HasSubstr("changes nothing"));
  EXPECT_THAT(refused({"empty"}, {"empty"}), HasSubstr("there is no pair to keep"));
}

TEST_F(CleaningTest, TheResultDoesNotDependOnTheWorkers) {
  Pairs pairs = sound(9000);
  for (size_t i = 0; i < pairs.size(); i += 7) pairs[i].second += " %s";
  for (size_t i = 1; i < pairs.size(); i += 11) pairs[i] = pairs[i / 2];
  const Cleaned one = clean(pairs, {}, {}, 1), three = clean(pairs, {}, {}, 3);
  EXPECT_EQ(one.kept, three.kept);
  EXPECT_EQ(one.dropped, three.dropped);
  EXPECT_GT(one.dropped.size(), 1500u);
}

TEST_F(CleaningTest, UnequalOrEmptyFilesAreErrors) {
  const auto error = [&](const std::string& source, const std::string& target) {
    const InspectionFiles files{{write("x", source)}, {write("y", target)}, {}, {}};
    Workers workers(1);
    return error_of([&] { clean_data(files, {}, workers, [](const CleanedPair&) {}); });
  };
  EXPECT_THAT(error("a b c\nd\n", "a b\n"), HasFacts("x 2 y 1 same sentence"));
  EXPECT_THAT(error("", ""), HasSubstr("are empty"));
}

}  // namespace
}  // namespace heed
