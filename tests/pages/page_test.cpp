#include "heed/pages/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "heed/pages/page_assets.h"
#include "support/page_data.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Page attention_page(std::string title, std::string data, std::vector<std::string> blocks = {}) {
  return {"attention", std::move(title), std::move(data), std::move(blocks)};
}

TEST(PageBlock, IsCompressedJsonAndNumbers) {
  const std::vector<uint16_t> numbers = {0, 1, 255, 256, 9999, 65535};
  for (const std::string json : {"{}", R"({"a":1})", R"({"text":"她买了书。"})"}) {
    const testing::PageBlock block = testing::unpacked(page_block(json, numbers));
    EXPECT_EQ(block.json, nlohmann::json::parse(json));
    EXPECT_EQ(block.numbers, numbers);
  }
  EXPECT_TRUE(testing::unpacked(page_block("[]")).numbers.empty());
  const std::vector<uint16_t> zeros(100'000, 0);
  EXPECT_LT(page_block("{}", zeros).size(), 1000u);
}

TEST(PageHtml, NoTextEndsAnElementOrIsTakenForAMarker) {
  const std::string hostile = "</script><script>alert(1)</script> {{data}} {{style}} & \" ' <!--";
  const std::string data = nlohmann::json({{"text", hostile}}).dump();
  const std::string html = page_html(attention_page(hostile, data));
  EXPECT_EQ(testing::data_of(html).at("text"), hostile);
  EXPECT_THAT(html, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(html, HasSubstr("<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; "
                              "{{data}} {{style}} &amp; &quot; ' &lt;!--</title>"));
}

TEST(PageHtml, HasEveryBlock) {
  const std::string html =
      page_html(attention_page("t", "{}", {page_block("[1]"), page_block("[2]")}));
  EXPECT_EQ(testing::block_of(html, 0).json, nlohmann::json({1}));
  EXPECT_EQ(testing::block_of(html, 1).json, nlohmann::json({2}));
}

TEST(PageHtml, SaysHowItIsFirstShown) {
  Page page = attention_page("t", "{}");
  EXPECT_THAT(page_html(page), HasSubstr("<html lang=\"en\">"));
  page.look = {.language = "zh", .theme = "dark"};
  EXPECT_THAT(page_html(page),
              HasSubstr("<html lang=\"en\" data-language=\"zh\" data-theme=\"dark\">"));
}

TEST(PageHtml, NeedsNoNetwork) {
  const std::regex external(
      "(src|href|action)\\s*=\\s*\"?(https?:|//)|@import|url\\(\\s*[\"']?http");
  for (const std::string kind : {"attention", "run"}) {
    const std::string html = page_html({kind, "t", "{}"});
    EXPECT_THAT(html, HasSubstr("default-src 'none'"));
    EXPECT_FALSE(std::regex_search(html, external)) << kind;
  }
}

// Of scripts with texts: the names of the keys of each table {"en": {...}, "zh": {...}}.
using Keys = std::vector<std::string>;
std::vector<Keys> keys_of(const std::string& script, const std::string& language) {
  std::vector<Keys> tables;
  const std::string name = "\n  " + language + ": {";
  for (size_t at = script.find(name); at != std::string::npos; at = script.find(name, at + 1)) {
    Keys& keys = tables.emplace_back();
    const std::string body = script.substr(at, script.find("\n  }", at) - at);
    const std::regex key("\n    ([a-z_0-9]+):");
    for (std::sregex_iterator match(body.begin(), body.end(), key), end; match != end; ++match)
      keys.push_back((*match)[1]);
  }
  return tables;
}

TEST(PageAssets, EveryTextIsThereInEnglishAndInChinese) {
  size_t tables = 0;
  for (const EmbeddedFile& file : page_assets()) {
    const std::string script(file.content);
    const std::vector<Keys> english = keys_of(script, "en");
    EXPECT_EQ(english, keys_of(script, "zh")) << file.name;
    for (const Keys& keys : english) {
      const auto disorder = std::ranges::is_sorted_until(keys);
      EXPECT_EQ(disorder, keys.end()) << file.name << ": " << *disorder;
    }
    tables += english.size();
  }
  EXPECT_GE(tables, 3U);
}

TEST(PageAssets, WriteNoMarkupFromText) {
  for (const EmbeddedFile& file : page_assets()) {
    if (!file.content_type.starts_with("text/javascript")) continue;
    const std::regex unsafe(
        "\\beval\\(|new Function\\b|innerHTML|outerHTML|insertAdjacentHTML|document\\.write|"
        "\\bfetch\\(|XMLHttpRequest|console\\.log|debugger");
    EXPECT_FALSE(std::regex_search(std::string(file.content), unsafe)) << file.name;
  }
}

}  // namespace
}  // namespace heed
