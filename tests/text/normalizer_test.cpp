#include "heed/text/normalizer.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

using namespace std::string_literals;

TEST(Normalizer, AppliesTheRulesOfATraining) {
  const Normalizer nmt(Normalization::nmt_nfkc, false);
  EXPECT_EQ(nmt.normalize("Ａｂｃ，…™ ﬁ ½"), "Abc,...TM fi 1\u20442");
  EXPECT_EQ(nmt.normalize("e\u0301\u200cx"), "\u00e9 x");
  const Normalizer lowercase(Normalization::nmt_nfkc, true);
  EXPECT_EQ(lowercase.normalize("Ａｂｃ"), "abc");
  const Normalizer nfkc(Normalization::nfkc, false);
  EXPECT_EQ(nfkc.normalize("e\u0301\u200cx"), "\u00e9\u200cx");
  const Normalizer none(Normalization::identity, true);
  EXPECT_EQ(none.normalize("Ａｂｃ，…™ ﬁ"), "Ａｂｃ，…™ ﬁ");
}

TEST(Normalizer, RunsOfWhiteSpaceAreASpace) {
  for (const auto& [name, rule] : enum_names(Normalization{})) {
    const Normalizer normalizer(rule, false);
    EXPECT_EQ(normalizer.normalize("  a \t b\r\n"), "a b") << name;
    EXPECT_EQ(normalizer.normalize("a\0b"s), "a b") << name;
    EXPECT_EQ(normalizer.normalize(""), "") << name;
    EXPECT_EQ(normalizer.normalize(" \t"), "") << name;
    // SentencePiece's own character for a space.
    EXPECT_EQ(normalizer.normalize("a\u2581b"), "a b") << name;
  }
}

TEST(Normalizer, EqualsOneOfTheSameRules) {
  const Normalizer nmt(Normalization::nmt_nfkc, false);
  EXPECT_EQ(nmt.specification(), Normalizer(Normalization::nmt_nfkc, false).specification());
  EXPECT_EQ(nmt.specification(), Normalizer(nmt.specification()).specification());
  EXPECT_NE(nmt.specification(), Normalizer(Normalization::nmt_nfkc, true).specification());
}

}  // namespace
}  // namespace heed
