#include "heed/data/copied_parts.h"

#include <gmock/gmock.h>

#include <utility>

namespace heed::detail {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Sides {
  const char *source, *target;
};

TEST(CopiedParts, PlaceholdersMayMoveAndNamedOnesRepeat) {
  for (const auto& [source, target] :
       {Sides{"%s of %d files", "%2$d von %1$s Dateien"},
        {"%1$s %1$s", "%1$s"},
        {"{0} and {name}", "{name} und {0}, {name}"},
        {"{{ count }} %(n)s ${x}", "${x} %(n)s {{count}}"},
        {"%1 of %L2", "%L2 von %1"},
        {"100% of it", "100%ige Sache"},
        {"50 % der Leute", "一半的人"},
        {"%% of {} people", "%% von {} Leuten"},
        {"{n, plural, one {# file} other {# files}}", "{n, plural, other {# 个文件}}"},
        {"a { b }", "c d"},
        {"%%s", "%%"}}) {
    const PartDifference found = placeholder_difference(source, target);
    EXPECT_FALSE(found.found()) << source << " | " << target;
  }
}

TEST(CopiedParts, LostAndChangedPlaceholdersAreFound) {
  const auto expect = [](const Sides& sides, const char* source_only, const char* target_only) {
    const PartDifference found = placeholder_difference(sides.source, sides.target);
    EXPECT_THAT(found.source_only, ElementsAre(source_only)) << sides.source;
    if (*target_only == '\0') {
      EXPECT_THAT(found.target_only, IsEmpty()) << sides.target;
    } else {
      EXPECT_THAT(found.target_only, ElementsAre(target_only)) << sides.target;
    }
  };
  expect({"%s of %s", "von %s"}, "%s", "");
  expect({"%s files", "%d Dateien"}, "%s", "%d");
  expect({"%1$s", "%1$d"}, "%s", "%d");
  expect({"{0} files", "{1} Dateien"}, "{0}", "{1}");
  expect({"{name}", "{Name}"}, "{name}", "{Name}");
  expect({"{{x}}", "{{y}}"}, "{{x}}", "{{y}}");
  expect({"%(x)s", "x"}, "%(x)s", "");
  expect({"${x}", "{x}"}, "${x}", "{x}");
  expect({"%1 files", "%2 Dateien"}, "%1", "%2");
  expect({"{n, plural, one {#} other {#}}", "# 个"}, "{n, plural}", "");
}

TEST(CopiedParts, TagsAreComparedByName) {
  for (const auto& [source, target] :
       {Sides{"<b>two</b> <a href=\"en\">x</a>", "<a href='de'>x</a> <b>zwei</b>"},
        {"<all files>", "<alle Dateien>"},
        {"a < b and c > d", "a < b und c > d"},
        {"<none>", "<keiner>"},
        {"<Name>=<Value>", "<名称>=<数值>"},
        {"`pages <os.path>`", "`Seiten <os.path>`"},
        {"<BR>", "<br>"}}) {
    EXPECT_FALSE(tag_difference(source, target).found()) << source << " | " << target;
  }
  EXPECT_THAT(tag_difference("<b>two</b>", "<i>zwei</b>").target_only, ElementsAre("<i>"));
  EXPECT_THAT(tag_difference("a<br/>b", "ab").source_only, ElementsAre("<br>"));
  EXPECT_THAT(tag_difference("<link>two</link>", "<link>zwei").source_only, ElementsAre("</link>"));
  EXPECT_THAT(tag_difference("<x id=\"1\"/>two", "zwei").source_only, ElementsAre("<x>"));
  // Names that no one translates, and words in brackets that are lost.
  EXPECT_THAT(tag_difference("<A1> EQ 2", "<x> EQ 2").source_only, ElementsAre("<a1>"));
  EXPECT_THAT(tag_difference("see <os.path>", "siehe <os>").source_only, ElementsAre("<os.path>"));
  EXPECT_THAT(tag_difference("COUNT <Name>", "COUNT ").source_only, ElementsAre("<name>"));
}

TEST(CopiedParts, LocalizedNumbersAreEqual) {
  for (const auto& [source, target] : {Sides{"1,000 files", "1.000 Dateien"},
                                       {"1,234.50 dollars", "1 234,50 Dollar"},
                                       {"1'000'000", "1,000,000"},
                                       {"７ 天", "7 days"},
                                       {"٣ كتب", "3 books"},
                                       {"2,000 books", "۲٬۰۰۰ کتاب"},
                                       {"10,000 and 5", "۱۰،۰۰۰ و ۵،"},
                                       {"三十二 岁", "32 years old"},
                                       {"二〇二四年", "in 2024"},
                                       {"32 years", "三十二岁"},
                                       {"20,000 people", "两万人"},
                                       {"3.5 million", "350万"},
                                       {"5 billion", "50亿"},
                                       {"on 12/31/2012", "am 31.12.2012"},
                                       {"1999-02-05", "1999年2月5日"},
                                       {"on 20240503", "am 3.5.2024"},
                                       {"call 0171 2345678", "Telefon 01712345678"},
                                       {"12 million and 1.5 million", "1200万，150万"},
                                       {"December 31, 2012", "2012年12月31日"},
                                       {"31 December", "31.12."},
                                       {"at 5 p.m.", "um 17 Uhr"},
                                       {"at 9:00 p.m.", "um 21 Uhr"},
                                       {"the 1940s", "20世纪40年代"},
                                       {"the 1900s", "20世纪"},
                                       {"3 dogs", "drei Hunde"},
                                       {"300 years", "dreihundert Jahre"},
                                       {"the 1st of 20", "der erste von 20"},
                                       {"50%", "50 %"},
                                       {"%1$s has 5", "%2$s hat 5"},
                                       {"page 5 and page 5", "Seite 5"},
                                       {"at 9:30", "九点半"},
                                       {"", ""}}) {
    const PartDifference found = number_difference(source, target);
    EXPECT_THAT(found.source_only, IsEmpty()) << source << " | " << target;
    EXPECT_THAT(found.target_only, IsEmpty()) << source << " | " << target;
  }
}

TEST(CopiedParts, NumbersThatDifferAreFound) {
  for (const auto& [source, target] : {Sides{"Room 5 has 12 seats.", "Zimmer 7 hat 12 Plätze."},
                                       {"Room 5 has 12 seats.", "Zimmer 5 hat 13 Plätze."},
                                       {"10 files", "100 Dateien"},
                                       {"in 1935", "im Jahr 7935"},
                                       {"32 years", "三十三岁 33"},
                                       {"1,000", "1.001"},
                                       {"5 p.m.", "18 Uhr"},
                                       {"in 2024 and 2025", "im Jahr 2024"},
                                       {"port 4711", "der Port"},
                                       {"3 million", "400万"},
                                       {"７ 天", "8 days"},
                                       {"version 2.6", "version 2.7"},
                                       {"page 25", "Seite 52"},
                                       {"at 17:45", "um 17:54 Uhr"},
                                       {"rooms 12 and 34", "Zimmer 43 und 21"},
                                       {"3 million of 25", "300万 里的 52"},
                                       {"call 0171 2345678", "Telefon 01712345687"},
                                       {"on 20240503", "am 3.5.2042"}}) {
    EXPECT_TRUE(number_difference(source, target).found()) << source << " | " << target;
  }
  const PartDifference found = number_difference("rooms 0005 and 12", "Zimmer 5 und 13");
  EXPECT_THAT(found.source_only, ElementsAre("12"));
  EXPECT_THAT(found.target_only, ElementsAre("13"));
}

}  // namespace
}  // namespace heed::detail
