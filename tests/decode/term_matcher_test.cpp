#include "heed/decode/term_matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/core/rng.h"

namespace heed {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> texts(const std::vector<const TermMatcher::Form*>& found) {
  std::vector<std::string> all;
  for (const TermMatcher::Form* form : found) all.push_back(form ? form->text : "-");
  return all;
}

std::vector<std::string> found_in(const TermMatcher& matcher, const std::string& text) {
  return texts(matcher.search(text, matcher.start()).found);
}

TEST(TermMatcher, FindsOneFormOfEachTerm) {
  const TermMatcher matcher({{"Ansicht", "Sicht"}, {"öffnen"}});
  EXPECT_THAT(found_in(matcher, "die Sicht öffnen"), ElementsAre("Sicht", "öffnen"));
  EXPECT_THAT(found_in(matcher, "Ansicht"), ElementsAre("Ansicht", "-"));
  EXPECT_THAT(found_in(matcher, "Ansichten Übersicht öffnend"), ElementsAre("-", "-"));
  EXPECT_THAT(found_in(matcher, "„Ansicht“ (öffnen)"), ElementsAre("Ansicht", "öffnen"));
}

TEST(TermMatcher, ATermThatIsThereTwiceNeedsTwoForms) {
  const TermMatcher matcher({{"Netz"}, {"Netz"}});
  EXPECT_THAT(found_in(matcher, "Netz"), ElementsAre("Netz", "-"));
  EXPECT_THAT(found_in(matcher, "Netz und Netz, Netz"), ElementsAre("Netz", "Netz"));
}

TEST(TermMatcher, ALongerFormCountsForItselfAlone) {
  const TermMatcher matcher({{"Tabelle"}, {"Tabelle einfügen"}});
  EXPECT_THAT(found_in(matcher, "Tabelle einfügen"), ElementsAre("-", "Tabelle einfügen"));
  EXPECT_THAT(found_in(matcher, "Tabelle, Tabelle einfügen"),
              ElementsAre("Tabelle", "Tabelle einfügen"));
  EXPECT_THAT(found_in(matcher, "Tabelle einfügend"), ElementsAre("Tabelle", "-"));
}

TEST(TermMatcher, TextWithoutSpacesHasFormsAnywhere) {
  const TermMatcher matcher({{"视图"}, {"表"}});
  EXPECT_THAT(found_in(matcher, "打开视图和表格"), ElementsAre("视图", "表"));
}

TEST(TermMatcher, SaysWhatHasBegun) {
  const TermMatcher matcher({{"Ansicht"}, {"Tabelle einfügen"}});
  const auto begun = [&](const std::string& text) {
    std::vector<std::string> all;
    for (const TermMatcher::Begun& one : matcher.search(text, matcher.start()).begun)
      all.push_back(one.form->text + ":" + std::to_string(one.bytes));
    return all;
  };
  EXPECT_THAT(begun("die Ans"), ElementsAre("Ansicht:3"));
  EXPECT_THAT(begun("die Tabelle ein"), ElementsAre("Tabelle einfügen:11"));
  EXPECT_THAT(begun("die Ansicht"), ElementsAre());
  EXPECT_THAT(begun("dieAns"), ElementsAre()) << "within a word";
}

// What is found does not depend on where a search was interrupted.
TEST(TermMatcher, ContinuesFromAStableState) {
  const TermMatcher matcher({{"a b", "a"}, {"b", "ab"}, {"a b c"}, {"b"}});
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    TermMatcher::State state = matcher.start();
    while (text.size() < 16) {
      for (uint64_t n = 1 + random.below(3); n > 0; --n) text += "ab c"[random.below(4)];
      const TermMatcher::Result result = matcher.search(text, state);
      ASSERT_EQ(texts(result.found), found_in(matcher, text)) << text;
      state = result.stable;
    }
  }
}

}  // namespace
}  // namespace heed
