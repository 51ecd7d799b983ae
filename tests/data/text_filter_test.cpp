#include "heed/data/text_filter.h"

#include <gmock/gmock.h>

#include "heed/core/hash.h"
#include "support/text_files.h"

namespace heed {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TextFilterTest : public FolderTest {
 protected:
  ParallelText text(const std::string& source, const std::string& target) const {
    return {{write("s", source)}, {write("t", target)}};
  }
};

TEST_F(TextFilterTest, CountsWordsOfEachSideOverTheWholeText) {
  // "a" stands twice on the left and once on the right.
  const ParallelText few = text("a b\na b\nb\n", "x\nx\na\n");
  EXPECT_THAT(lines_for_tokenizer({.min_word_count = 2}, few), ElementsAre(true, true, false));
  EXPECT_THAT(lines_for_tokenizer({.max_words = 1}, few), ElementsAre(false, false, true));
  EXPECT_TRUE(lines_for_tokenizer({}, few).empty());
}

TEST_F(TextFilterTest, BrokenPairsAreNotKeptAndNotCounted) {
  const ParallelText few = text("a\na \xff\nb\nb\n", "x\nx\nx\nx\n");
  EXPECT_THAT(lines_for_tokenizer({}, few), ElementsAre(true, false, true, true));
  EXPECT_THAT(lines_for_tokenizer({.min_word_count = 2}, few),
              ElementsAre(false, false, true, true));
}

TEST_F(TextFilterTest, ASideOfWhiteSpaceIsEmpty) {
  const TextFilter filter({}, text("a\n", "b\n"));
  for (const char* blank : {"", " \t", "\u00a0", "\u3000\u3000"}) {
    EXPECT_EQ(filter.decide(0, blank, "b"), &FilterReport::empty);
    EXPECT_EQ(filter.decide(0, "a", blank), &FilterReport::empty);
  }
  EXPECT_EQ(filter.decide(0, "a", "\u00a0b"), &FilterReport::kept);
}

TEST_F(TextFilterTest, FoldsCaseWhereAsked) {
  const ParallelText few = text("Ärger\närger\nein\n", "x\nx\nx\n");
  EXPECT_THAT(lines_for_tokenizer({.min_word_count = 2}, few), ElementsAre(false, false, false));
  EXPECT_THAT(lines_for_tokenizer(
                  {.min_word_count = 2, .fold_source_case = true, .fold_target_case = true}, few),
              ElementsAre(true, true, false));
}

TEST_F(TextFilterTest, LeavesOutWhatIsHeldOut) {
  const ParallelText few = text("one\ntwo\none\n", "x\ny\nz\n");
  EXPECT_THAT(lines_for_tokenizer({.held_out = {hash_of("one")}}, few),
              ElementsAre(false, true, false));
}

// Composed or not, and in full width: one source to the model.
TEST_F(TextFilterTest, AHeldOutSourceIsGoneInAllItsForms) {
  const ParallelText few = text("café\ncafe\u0301\nＡ １\nA 1\n", "w\nx\ny\nz\n");
  const HeldOut held = hold_out(few, {}, 1, 1);
  EXPECT_THAT(lines_for_tokenizer({.held_out = held.sources}, few),
              AnyOf(ElementsAre(false, false, true, true), ElementsAre(true, true, false, false)));
  EXPECT_THAT(error_of([&] { hold_out(few, {}, 2, 1); }), HasSubstr("2 different sources"));
}

TEST_F(TextFilterTest, HeldOutPairsAreAFunctionOfTheSeedAndHaveDifferentSources) {
  std::string source, target;
  for (int i = 0; i < 200; ++i) {
    source += fmt::format("s{}\n", i / 2);  // every source twice
    target += fmt::format("t{}\n", i);
  }
  source += "far too many words\n";
  target += "t\n";
  const ParallelText lines = text(source, target);
  const FilterOptions filters{.max_words = 2};
  const HeldOut held = hold_out(lines, filters, 20, 1);
  EXPECT_EQ(std::count(held.source.begin(), held.source.end(), '\n'), 20);
  EXPECT_EQ(std::count(held.target.begin(), held.target.end(), '\n'), 20);
  EXPECT_EQ(held.sources.size(), 20u);
  EXPECT_TRUE(std::is_sorted(held.sources.begin(), held.sources.end()));
  EXPECT_EQ(std::adjacent_find(held.sources.begin(), held.sources.end()), held.sources.end());
  EXPECT_EQ(held.source, hold_out(lines, filters, 20, 1).source);
  EXPECT_NE(held.source, hold_out(lines, filters, 20, 2).source);
  // Both pairs of each source are gone from what is learnt.
  const std::vector<bool> kept =
      lines_for_tokenizer({.max_words = 2, .held_out = held.sources}, lines);
  EXPECT_EQ(std::count(kept.begin(), kept.end(), true), 160);
  EXPECT_EQ(hold_out(lines, filters, 99, 1).sources.size(), 99u);
  EXPECT_THAT(error_of([&] { hold_out(lines, filters, 100, 1); }),
              HasSubstr("the filters keep 100 different sources"));
}

TEST_F(TextFilterTest, LinesWithoutSourcesAreHeldOutByThemselves) {
  const ParallelText lines = ParallelText::without_source({write("t", "one\ntwo\none\n\nthree\n")});
  EXPECT_THAT(lines_for_tokenizer({.max_words = 2}, lines),
              ElementsAre(true, true, true, false, true));
  const HeldOut held = hold_out(lines, {}, 2, 1);
  EXPECT_EQ(held.sources.size(), 2u);
  EXPECT_EQ(std::count(held.target.begin(), held.target.end(), '\n'), 2);
  const TextFilter filter({.held_out = held.sources}, lines);
  int64_t kept = 0;
  for (const char* line : {"one", "two", "three"})
    kept += filter.decide(0, "", line) == &FilterReport::kept ? 1 : 0;
  EXPECT_EQ(kept, 1);
  EXPECT_THAT(error_of([&] { hold_out(lines, {}, 3, 1); }), HasSubstr("3 different lines"));
}

}  // namespace
}  // namespace heed
