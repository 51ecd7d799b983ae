#include "heed/text/variation.h"

#include <gmock/gmock.h>

#include <set>

#include "heed/core/utf8.h"
#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

LinePair vary(Variation variation, const LinePair& pair, uint64_t seed = 1,
              const LinePair& other = {}) {
  Random random(seed);
  return varied(variation, pair, other, random);
}

TEST(VariationTest, CaseChangesTheWordsOfBothSides) {
  const LinePair pair{"Open  <b>file</b> %s in /usr/lib, Straße 5b.", "打开 <b>文件</b> %s élan"};
  EXPECT_EQ(vary(Variation::upper, pair), (LinePair{"OPEN  <b>file</b> %s IN /usr/lib, STRASSE 5b.",
                                                    "打开 <b>文件</b> %s ÉLAN"}));
  EXPECT_EQ(vary(Variation::title, pair),
            (LinePair{"Open  <b>file</b> %s In /usr/lib, Straße 5b.", "打开 <b>文件</b> %s Élan"}));
}

TEST(VariationTest, PunctuationGoesWhereBothSidesEndWithIt) {
  EXPECT_EQ(vary(Variation::unpunctuated, {"Is it?! ", "是吗？"}), (LinePair{"Is it", "是吗"}));
  const LinePair one_side{"Yes.", "是"}, nothing_else{"...", "。"};
  EXPECT_EQ(vary(Variation::unpunctuated, one_side), one_side);
  EXPECT_EQ(vary(Variation::unpunctuated, nothing_else), nothing_else);
}

TEST(VariationTest, TyposAreInWordsOfTheSourceAlone) {
  const LinePair pair{"The translation of a {placeholder} keeps words like these, mostly", "t"};
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const LinePair found = vary(Variation::typos, pair, seed);
    EXPECT_EQ(found.target, pair.target);
    EXPECT_THAT(found.source, HasSubstr("The "));
    EXPECT_THAT(found.source, HasSubstr(" of a {placeholder} k"));
    EXPECT_FALSE(find_invalid_utf8(found.source));
    seen.insert(found.source);
  }
  EXPECT_GT(seen.size(), 40u);
  const LinePair short_words{"to be or {0} not", "x"};
  EXPECT_EQ(vary(Variation::typos, short_words), short_words);
  EXPECT_EQ(vary(Variation::typos, {"", ""}), (LinePair{"", ""}));
  for (uint64_t seed = 0; seed < 50; ++seed)
    EXPECT_FALSE(find_invalid_utf8(vary(Variation::typos, {"größeräöü", ""}, seed).source));
}

TEST(VariationTest, PairsAreJoinedAsTheirLanguagesAre) {
  EXPECT_EQ(vary(Variation::joined, {"One.", "一。"}, 1, {"Two.", "二。"}),
            (LinePair{"One. Two.", "一。二。"}));
  EXPECT_EQ(vary(Variation::joined, {"One.", "一。"}, 1, {"", ""}), (LinePair{"One.", "一。"}));
}

TEST(VariationTest, NoiseIsTheSameOnBothSides) {
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const LinePair found = vary(Variation::noise, {"one", "eins"}, seed);
    const bool before = found.source.ends_with(" one");
    const std::string noise =
        before ? found.source.substr(0, found.source.size() - 4) : found.source.substr(4);
    EXPECT_EQ(found.target, before ? noise + " eins" : "eins " + noise);
    EXPECT_FALSE(noise.empty() || noise.find(' ') != noise.npos);
    seen.insert(noise);
  }
  EXPECT_GT(seen.size(), 40u);
}

TEST(VariationTest, SharesAreReadAndDrawn) {
  const VariationShares shares({"upper=0.25,typos", "noise=0.5"});
  EXPECT_EQ(shares.of(Variation::upper), 0.25);
  EXPECT_EQ(shares.of(Variation::typos), VariationShares::kUsualShare);
  EXPECT_EQ(shares.of(Variation::title), 0);
  EXPECT_TRUE(shares.any());
  EXPECT_FALSE(VariationShares().any());
  EXPECT_EQ(shares.drawn_by(0), int(Variation::upper));
  EXPECT_EQ(shares.drawn_by(0.26), int(Variation::typos));
  EXPECT_EQ(shares.drawn_by(0.79), int(Variation::noise));
  EXPECT_EQ(shares.drawn_by(0.81), -1);
  const auto refused = [](const std::vector<std::string>& words) {
    return error_of([&] { VariationShares{words}; });
  };
  EXPECT_THAT(refused({"uper"}), HasSubstr("'upper'"));
  EXPECT_THAT(refused({"zzzzzzz"}), HasSubstr("expected upper, title"));
  for (const char* word : {"upper=", "upper=0", "upper=1.5", "upper=x", "upper=nan", "upper=0.1x"})
    EXPECT_THAT(refused({word}), HasFacts(std::string("--vary ") + word + " share")) << word;
  EXPECT_THAT(refused({"upper", "upper=0.1"}), HasSubstr("names upper twice"));
  EXPECT_THAT(refused({"upper=0.6", "noise=0.6"}), HasSubstr("add up to 1.2"));
}

TEST(VariationTest, OfATestSetEveryLineIsVaried) {
  EXPECT_THAT(variations_named({"noise,upper"}), ElementsAre(Variation::noise, Variation::upper));
  EXPECT_THAT(error_of([] { variations_named({"upper=0.1"}); }), HasSubstr("leave its share out"));
  EXPECT_THAT(error_of([] { variations_named({"joined"}); }), HasSubstr("for training"));
}

}  // namespace
}  // namespace heed
