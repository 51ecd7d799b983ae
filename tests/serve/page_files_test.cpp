#include "heed/serve/page/page_files.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "heed/pages/page_assets.h"

namespace heed {
namespace {

using ::testing::AnyOf;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;

std::string content_of(std::string_view name) {
  for (const EmbeddedFile& file : page_files())
    if (file.name == name) return std::string(file.content);
  ADD_FAILURE() << name << " is missing";
  return "";
}

// What the first group of a pattern matches, wherever it does.
std::vector<std::string> all_matches(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

std::set<std::string> names() {
  std::set<std::string> all;
  for (const EmbeddedFile& file : page_files()) all.emplace(file.name);
  return all;
}

bool is_script(const EmbeddedFile& file) {
  return file.content_type.starts_with("text/javascript");
}

TEST(PageFilesTest, HasEachFileOnceWithItsTypeAndTag) {
  EXPECT_THAT(names(),
              IsSupersetOf({"index.html", "app.js", "style.css", "strings.js", "icon.svg"}));
  EXPECT_EQ(names().size(), page_files().size());
  std::set<std::string_view> tags;
  for (const EmbeddedFile& file : page_files()) {
    SCOPED_TRACE(file.name);
    EXPECT_FALSE(file.content.empty());
    EXPECT_THAT(file.content_type, AnyOf("text/html; charset=utf-8", "text/css; charset=utf-8",
                                         "text/javascript; charset=utf-8", "image/svg+xml"));
    EXPECT_TRUE(std::regex_match(std::string(file.etag), std::regex("\"[0-9a-f]{32}\"")));
    EXPECT_TRUE(tags.insert(file.etag).second) << "two files have the same content";
  }
}

TEST(PageFilesTest, EmbedsFilesToTheByte) {
  EXPECT_THAT(content_of("index.html"), StartsWith("<!doctype html>\n<html lang=\"en\">"));
  EXPECT_TRUE(content_of("index.html").ends_with("</html>\n"));
  EXPECT_NE(content_of("strings.js").find("\"交换语言\""), std::string::npos);
}

TEST(PageFilesTest, EveryFileThatThePageNamesIsThere) {
  const std::set<std::string> known = names();
  for (const std::string& name :
       all_matches(content_of("index.html"), "(?:src|href)=\"([^\"#]+)\""))
    EXPECT_TRUE(name == "./" || name == "openapi.json" || name == "base.css" ||
                known.contains(name))
        << name;
  for (const EmbeddedFile& file : page_files()) {
    if (!is_script(file)) continue;
    for (const std::string& name :
         all_matches(std::string(file.content), "from \"\\./([a-z_]+\\.js)\"")) {
      EXPECT_TRUE(known.contains(name)) << name << ", which " << file.name << " imports";
      // Or the browser would find it only after it has loaded the other.
      EXPECT_NE(content_of("index.html").find("rel=\"modulepreload\" href=\"" + name + '"'),
                std::string::npos)
          << name;
    }
  }
}

TEST(PageFilesTest, AsksNoOtherHost) {
  for (const EmbeddedFile& file : page_files()) {
    for (const std::string& address :
         all_matches(std::string(file.content), "((?:[a-z]+:)//[^\\s\"')]*)"))
      EXPECT_EQ(address, "http://www.w3.org/2000/svg") << file.name;  // a name, never fetched
    EXPECT_EQ(file.content.find("@import"), std::string_view::npos) << file.name;
    EXPECT_EQ(file.content.find("url("), std::string_view::npos) << file.name;
  }
}

TEST(PageFilesTest, RunsUnderAStrictContentSecurityPolicy) {
  const std::string page = content_of("index.html");
  EXPECT_TRUE(all_matches(page, "(<script(?![^>]* src=)[^>]*>)").empty());
  EXPECT_TRUE(all_matches(page, "<script[^>]*>\\s*([^<\\s])").empty());
  EXPECT_TRUE(all_matches(page, "(<style\\b|<base\\b|<iframe\\b|\\bjavascript:)").empty());
  EXPECT_TRUE(all_matches(page, "(\\s(?:style|on[a-z]+)\\s*=)").empty());
  for (const EmbeddedFile& file : page_files()) {
    if (!is_script(file)) continue;
    const std::string script(file.content);
    EXPECT_TRUE(all_matches(script,
                            "(\\beval\\(|new Function\\b|innerHTML|outerHTML|"
                            "insertAdjacentHTML|document\\.write|import\\(|"
                            "setAttribute\\(\"style\")")
                    .empty())
        << file.name;
  }
}

// base.css has the colours and what else all pages share: style.css only adds to it.
TEST(PageFilesTest, ItsStyleSheetRepeatsNothingOfTheSharedOne) {
  const std::string base(page_asset("base.css").content), style = content_of("style.css");
  for (const std::string& rule : all_matches(base, "\n([^\n{}]+ \\{ [^\n]+ \\})"))
    EXPECT_EQ(style.find("\n" + rule), std::string::npos) << rule;
  EXPECT_TRUE(all_matches(style, "(--[a-z-]+:)").empty()) << "a colour of its own";
}

TEST(PageFilesTest, IsFinishedAndSmall) {
  size_t bytes = 0;
  for (const EmbeddedFile& file : page_files()) {
    bytes += file.content.size();
    for (const char* mark : {"TODO", "FIXME", "debugger", "console.log"})
      EXPECT_EQ(file.content.find(mark), std::string_view::npos) << mark << " in " << file.name;
  }
  EXPECT_LT(bytes, 150'000U);
}

class PageStringsTest : public ::testing::Test {
 protected:
  // The lines `name: "..."` of one language in strings.js: the names, or the texts.
  static std::vector<std::string> lines(const std::string& language, const char* pattern) {
    const std::string all = content_of("strings.js");
    const size_t begin = all.find("\n  " + language + ": {\n");
    EXPECT_NE(begin, std::string::npos);
    return all_matches(all.substr(begin, all.find("\n  },", begin) - begin), pattern);
  }
  static std::vector<std::string> names(const std::string& language) {
    return lines(language, "\n    ([a-z_]+): \"");
  }
};

TEST_F(PageStringsTest, BothLanguagesHaveTheSameNames) {
  EXPECT_GT(names("en").size(), 50U);
  EXPECT_EQ(names("en"), names("zh"));
}

TEST_F(PageStringsTest, BothLanguagesFillInTheSameValues) {
  const auto english = lines("en", "\n    [a-z_]+: (\"[^\n]*\")"),
             chinese = lines("zh", "\n    [a-z_]+: (\"[^\n]*\")");
  ASSERT_EQ(english.size(), chinese.size());
  for (size_t i = 0; i < english.size(); ++i) {
    auto in_english = all_matches(english[i], "(\\{[a-z]+\\})"),
         in_chinese = all_matches(chinese[i], "(\\{[a-z]+\\})");
    std::sort(in_english.begin(), in_english.end());
    std::sort(in_chinese.begin(), in_chinese.end());
    EXPECT_EQ(in_english, in_chinese) << english[i];
  }
}

TEST_F(PageStringsTest, TheNamesThatThePageUsesAreThere) {
  const std::vector<std::string> all = names("en");
  const std::set<std::string> known(all.begin(), all.end());
  std::set<std::string> used;
  for (std::string& name :
       all_matches(content_of("index.html"), "data-(?:text|label|placeholder)=\"([^\"]*)\""))
    used.insert(name);
  for (const EmbeddedFile& file : page_files())
    if (is_script(file))
      for (std::string& name :
           all_matches(std::string(file.content), "\\btext\\(\\s*\"([a-z_]+)\""))
        used.insert(name);
  for (const std::string& name : used) EXPECT_TRUE(known.contains(name)) << name;
}

}  // namespace
}  // namespace heed
