#include "heed/serve/api/plain_html.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(PlainHtmlTest, MarkupIsFound) {
  for (const char* html : {"<b>a</b>", "</p>", "<!-- a -->", "<!doctype html>", "<?php", "&amp;",
                           "&#39;", "&#x27;", "&eacute;", "&amp", "&nbsp a", "&ltb"}) {
    EXPECT_EQ(find_markup(html), 0U) << html;
    EXPECT_EQ(find_markup("a < b & " + std::string(html)), 8U) << html;
  }
}

TEST(PlainHtmlTest, TextIsText) {
  for (const char* text : {"", "plain", "1 < 2", "a<", "a <", "<3", "<你>", "AT&T", "a & b", "&",
                           "&;", "you & me;", "& #39;", "&#", "> \"'"})
    EXPECT_FALSE(find_markup(text)) << text;
}

TEST(PlainHtmlTest, EscapedTextHasNoMarkup) {
  EXPECT_EQ(escape_html("<b> & 'c'"), "&lt;b&gt; &amp; 'c'");
  EXPECT_EQ(escape_html("你好"), "你好");
}

}  // namespace
}  // namespace heed
