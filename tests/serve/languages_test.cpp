#include "heed/serve/languages.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(LanguagesTest, NamesAndCodes) {
  EXPECT_EQ(language_name("zh"), "Chinese");
  EXPECT_EQ(language_name("de-AT"), "German");
  EXPECT_EQ(language_name("xyz"), "xyz");
  EXPECT_EQ(find_language("zh-Hant")->name, "Chinese (traditional)");
  EXPECT_EQ(find_language("ru")->script, Script::cyrillic);
  EXPECT_FALSE(find_language("xyz"));
  EXPECT_FALSE(find_language(""));
  EXPECT_EQ(canonical_language("iw"), "he");
  EXPECT_EQ(canonical_language("JW"), "jv");
  EXPECT_EQ(canonical_language("zh_TW"), "zh-Hant");
  EXPECT_EQ(canonical_language("zh-Hant-HK"), "zh-Hant");
  EXPECT_EQ(canonical_language("zh-Hans"), "zh");
  EXPECT_EQ(canonical_language("pb"), "pt-BR");
  EXPECT_EQ(canonical_language("cmn_Hant"), "zh-Hant");
  EXPECT_EQ(canonical_language("eng_Latn"), "en");
  EXPECT_EQ(canonical_language("Klingon"), "klingon");
}

TEST(LanguagesTest, TagsHaveTheirParts) {
  const auto tag = [](const char* code) {
    const LanguageTag parts = parse_language(code);
    return parts.language + "|" + parts.script + "|" + parts.region + "|" + parts.rest;
  };
  EXPECT_EQ(tag("zh"), "zh|||");
  EXPECT_EQ(tag("ZH"), "zh|||");
  EXPECT_EQ(tag("cmn"), "zh|||");
  EXPECT_EQ(tag("zh_cn"), "zh|Hans|CN|");
  EXPECT_EQ(tag("zh-hant-hk"), "zh|Hant|HK|");
  EXPECT_EQ(tag("zh-TW"), "zh|Hant|TW|");
  EXPECT_EQ(tag("zt"), "zh|Hant||");
  EXPECT_EQ(tag("zho_Hans"), "zh|Hans||");
  EXPECT_EQ(tag("zh-cmn-Hans"), "zh|Hans||");
  EXPECT_EQ(tag("zh-yue"), "yue|||");
  EXPECT_EQ(tag("pb"), "pt||BR|");
  EXPECT_EQ(tag("es-419"), "es||419|");
  EXPECT_EQ(tag("ca-ES-valencia"), "ca||ES|valencia");
  EXPECT_EQ(tag("de-1901-Latn"), "de|||1901-latn");
  EXPECT_EQ(tag(""), "|||");
  EXPECT_EQ(tag("-"), "|||");
  EXPECT_EQ(tag("--Hant"), "|Hant||");
}

TEST(LanguagesTest, AliasesMatchInLanguageAndScript) {
  const auto match = [](const char* asked, const char* served) {
    return match_languages(parse_language(asked), parse_language(served));
  };
  for (const char* asked : {"zh-Hans", "zh-CN", "zh_CN", "ZH", "cmn", "zh-SG", "zh-Hans-CN", "zho"})
    EXPECT_GT(match(asked, "zh"), LanguageMatch::other_region) << asked;
  for (const char* asked : {"zt", "zh-TW", "zh_HK", "zh-Hant-MO"}) {
    EXPECT_GT(match(asked, "zh-Hant"), LanguageMatch::other_region) << asked;
    for (const char* served : {"zh", "zh-Hans", "zh-CN", "cmn"})
      EXPECT_EQ(match(asked, served), LanguageMatch::none) << asked << served;
  }
  for (const char* asked : {"zh", "zh-Hans", "zh-CN"})
    for (const char* served : {"zh-Hant", "zt", "zh-TW"})
      EXPECT_EQ(match(asked, served), LanguageMatch::none) << asked << served;
  EXPECT_EQ(match("en-US", "en"), LanguageMatch::no_region);
  EXPECT_EQ(match("en", "en-US"), LanguageMatch::no_region);
  EXPECT_EQ(match("en-GB", "en-US"), LanguageMatch::other_region);
  EXPECT_EQ(match("pb", "pt-BR"), LanguageMatch::same);
  EXPECT_EQ(match("pt-BR", "pt"), LanguageMatch::no_region);
  EXPECT_EQ(match("sr-Latn", "sr"), LanguageMatch::none);
  EXPECT_EQ(match("sr-Cyrl", "sr"), LanguageMatch::implied_script);
  EXPECT_EQ(match("ta-Taml", "ta"), LanguageMatch::implied_script);
  EXPECT_EQ(match("hi-Deva", "hi"), LanguageMatch::implied_script);
  EXPECT_EQ(match("yue", "zh"), LanguageMatch::none);
  EXPECT_EQ(match("tlh", "tlh"), LanguageMatch::same);
  EXPECT_EQ(match("tlh-Piqd", "tlh"), LanguageMatch::none);
  EXPECT_EQ(match("", "en"), LanguageMatch::none);
}

TEST(LanguagesTest, ASourceWithoutScriptReadsAll) {
  const auto match = [](const char* asked, const char* served) {
    return match_sources(parse_language(asked), parse_language(served));
  };
  EXPECT_EQ(match("zh-Hant", "zh"), LanguageMatch::any_script);
  EXPECT_EQ(match("zt", "cmn"), LanguageMatch::any_script);
  EXPECT_EQ(match("zh-Hant", "zh-Hans"), LanguageMatch::none);
  EXPECT_EQ(match("zh-Hant", "zh-CN"), LanguageMatch::none);
  EXPECT_EQ(match("zh", "zh-Hant"), LanguageMatch::none);
  EXPECT_EQ(match("zh", "zh-Hans"), LanguageMatch::implied_script);
  EXPECT_EQ(match("en", "de"), LanguageMatch::none);
}

}  // namespace
}  // namespace heed
