// The characters and tokens of HTML, as the standard has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/core/rng.h"
#include "heed/core/utf8.h"
#include "heed/text/html_characters.h"
#include "heed/text/html_tokens.h"

namespace heed {
namespace {

TEST(HtmlCharactersTest, ReferencesAreDecodedAsBrowsersDo) {
  // https://html.spec.whatwg.org/multipage/parsing.html#character-reference-state; checked in
  // Chromium by the textContent of these.
  for (const auto& [html, text] : {
           std::pair("a &amp; b &lt;c&gt; &quot;&#39;", "a & b <c> \"'"),
           {"&auml;&Auml;&szlig; &copy 2020 &notit; &notin;", "äÄß © 2020 ¬it; ∉"},
           {"&#228;&#xE4;&#XE4 &#128;&#x80;", "äää €€"},
           {"&#0;&#xD800;&#x110000;&#99999999999;", "\uFFFD\uFFFD\uFFFD\uFFFD"},
           {"&NotEqualTilde;&fjlig;", "≂̸fj"},
           {"& &; &x; &#; &#x; &am; R&D AT&T &", "& &; &x; &#; &#x; &am; R&D AT&T &"},
           {"&CounterClockwiseContourIntegral;&nbsp;.", "∳\u00a0."},
       })
    EXPECT_EQ(decode_html(html), text) << html;
}

TEST(HtmlCharactersTest, InAttributesANameWithoutSemicolonIsPartOfAWord) {
  EXPECT_EQ(decode_html("?a=1&copy=2&lt3&amp b&amp;c", HtmlPlace::attribute),
            "?a=1&copy=2&lt3& b&c");
  EXPECT_EQ(decode_html("?a=1&copy=2"), "?a=1©=2");
}

TEST(HtmlCharactersTest, EncodingIsTheReverse) {
  EXPECT_EQ(encode_html("a < b & \"c\" > d\u00a0e"), "a &lt; b &amp; \"c\" &gt; d&nbsp;e");
  EXPECT_EQ(encode_html("\"a\"", HtmlPlace::attribute), "&quot;a&quot;");
  const std::string all = "a&amp;<b>\u00a0\"'é中😀\u00c2";
  for (const HtmlPlace place : {HtmlPlace::text, HtmlPlace::attribute})
    EXPECT_EQ(decode_html(encode_html(all, place), place), all);
}

class HtmlTokensTest : public ::testing::Test {
 protected:
  // "<b" start, ">b" end, "'text", "!other", "#raw"
  static std::vector<std::string> tokens(const std::string& html) {
    std::vector<std::string> all;
    HtmlTokenizer tokenizer(html);
    size_t at = 0;
    for (HtmlToken token; tokenizer.next(token); at = token.end) {
      EXPECT_EQ(token.begin, at) << html;
      EXPECT_GT(token.end, token.begin) << html;
      const std::string text = html.substr(token.begin, token.end - token.begin);
      switch (token.kind) {
        case HtmlToken::Kind::start_tag:
          all.push_back("<" + token.name);
          for (const HtmlAttribute& a : token.attributes)
            all.back() += " " + a.name + "=" + html.substr(a.begin, a.end - a.begin);
          break;
        case HtmlToken::Kind::end_tag:
          all.push_back(">" + token.name);
          break;
        case HtmlToken::Kind::text:
          all.push_back("'" + text);
          break;
        case HtmlToken::Kind::raw:
          all.push_back("#" + text);
          break;
        case HtmlToken::Kind::other:
          all.push_back("!" + text);
      }
    }
    EXPECT_EQ(at, html.size()) << html;
    return all;
  }
};

TEST_F(HtmlTokensTest, TagsAndText) {
  using ::testing::ElementsAre;
  EXPECT_THAT(tokens("a<B Class=x ID='y z' title=\"a>b\" checked>c</b >d<br/>"),
              ElementsAre("'a", "<b class=x id=y z title=a>b checked=", "'c", ">b", "'d", "<br"));
  EXPECT_THAT(tokens("1 < 2 <3 <- a<>b </> c"), ElementsAre("'1 < 2 <3 <- a<>b ", "!</>", "' c"));
  EXPECT_THAT(tokens("<a =x b= c d = e x=1 X=2>"), ElementsAre("<a =x= b=c d=e x=1"));
  EXPECT_THAT(tokens("<a b=\"c"), ElementsAre("!<a b=\"c"));
  EXPECT_THAT(tokens("<a/b/c>"), ElementsAre("<a b= c="));
  EXPECT_THAT(tokens("a<"), ElementsAre("'a<"));
  EXPECT_THAT(tokens("a</"), ElementsAre("'a</"));
}

TEST_F(HtmlTokensTest, CommentsAndDeclarations) {
  using ::testing::ElementsAre;
  EXPECT_THAT(tokens("<!DOCTYPE html>x<!-- a > b --!>y<!-->z<!--->w"),
              ElementsAre("!<!DOCTYPE html>", "'x", "!<!-- a > b --!>", "'y", "!<!-->", "'z",
                          "!<!--->", "'w"));
  EXPECT_THAT(tokens("<?php a ?>x</ b>y<![CDATA[z]]>"),
              ElementsAre("!<?php a ?>", "'x", "!</ b>", "'y", "!<![CDATA[z]]>"));
  EXPECT_THAT(tokens("<!-- never"), ElementsAre("!<!-- never"));
}

TEST_F(HtmlTokensTest, RawContentHasNoTags) {
  using ::testing::ElementsAre;
  EXPECT_THAT(tokens("<script>a<b></scrip></SCRIPT >x"),
              ElementsAre("<script", "#a<b></scrip>", ">script", "'x"));
  EXPECT_THAT(tokens("<script><!-- <script> </script> --></script>x"),
              ElementsAre("<script", "#<!-- <script> </script> -->", ">script", "'x"));
  EXPECT_THAT(tokens("<script><!--></script>x"), ElementsAre("<script", "#<!-->", ">script", "'x"));
  EXPECT_THAT(tokens("<title>a<b>&amp;</title>"), ElementsAre("<title", "#a<b>&amp;", ">title"));
  EXPECT_THAT(tokens("<style></style><style>"), ElementsAre("<style", ">style", "<style"));
}

TEST_F(HtmlTokensTest, AnyBytesAreTokensEndToEnd) {
  Random random(1);
  const std::vector<std::string> parts = {"<",    ">",   "/",   "=", "\"",      "'",
                                          "a",    " ",   "!",   "-", "<script", "</script",
                                          "<!--", "-->", "<b ", "?", "\n"};
  for (int i = 0; i < 3000; ++i) {
    std::string html;
    for (uint64_t n = random.below(14); n > 0; --n) html += parts[random.below(parts.size())];
    tokens(html);
  }
}

}  // namespace
}  // namespace heed
