#include "heed/text/accelerator.h"

#include <gtest/gtest.h>

#include "heed/core/utf8.h"

namespace heed {
namespace {

// The text without its sign, the sign and the letter: "Open &o"; the text alone if it has none.
std::string taken(std::string text) {
  const auto found = take_accelerator(text);
  if (!found) return text;
  return text + " " + found->sign + encode_utf8({&found->letter, 1});
}

TEST(AcceleratorTest, SignsAreTaken) {
  EXPECT_EQ(taken("&Save"), "Save &s");
  EXPECT_EQ(taken("Save _As..."), "Save As... _a");
  EXPECT_EQ(taken("~File"), "File ~f");
  EXPECT_EQ(taken("E_xit"), "Exit _x");
  EXPECT_EQ(taken("Prefere&nces for %s"), "Preferences for %s &n");
  EXPECT_EQ(taken("Save && &quit"), "Save && quit &q");
  EXPECT_EQ(taken("Ö&ffnen"), "Öffnen &f");
  EXPECT_EQ(taken("Drücken _Über"), "Drücken Über _ü");
  EXPECT_EQ(taken("View _2"), "View 2 _2");
  EXPECT_EQ(taken("保存(&S)"), "保存 &s");
  EXPECT_EQ(taken("另存为 (_A)..."), "另存为... _a");
}

TEST(AcceleratorTest, OtherSignsAreNot) {
  for (const char* text : {"Save & close",
                           "R&D",
                           "AT&T",
                           "max_size",
                           "MAX_size",
                           "a &lt; b",
                           "&#10;x",
                           "&&x",
                           "__x",
                           "_one _two",
                           "&one _two",
                           "~/path",
                           "snake_case_name",
                           "`_x`",
                           "https://a.b/&c",
                           "Use %(_name)s",
                           "100 ~",
                           "x_",
                           "",
                           "5_000",
                           "_Foo and E_xit",
                           "(&F)",
                           "(_F)...",
                           "Call _exit()",
                           "/usr/_x"})
    EXPECT_EQ(taken(text), text);
}

std::string placed(const std::string& text, char sign, char32_t letter) {
  return with_accelerator(text, {sign, letter});
}

TEST(AcceleratorTest, SignsArePlaced) {
  EXPECT_EQ(placed("Speichern", '&', 's'), "&Speichern");
  EXPECT_EQ(placed("Alles speichern", '&', 's'), "Alles &speichern") << "where a word begins";
  EXPECT_EQ(placed("Datei", '_', 'i'), "Date_i");
  EXPECT_EQ(placed("Speichern und schließen", '&', 'c'), "&Speichern und schließen");
  EXPECT_EQ(placed("Öffnen", '_', 'x'), "_Öffnen") << "the first letter";
  EXPECT_EQ(placed("»Über« …", '~', U'ü'), "»~Über« …");
  EXPECT_EQ(placed("%s sichern", '&', 's'), "%s &sichern") << "not within a placeholder";
  EXPECT_EQ(placed("%s", '&', 's'), "%s(&S)");
  EXPECT_EQ(placed("保存", '&', 's'), "保存(&S)");
  EXPECT_EQ(placed("另存为…", '_', 'a'), "另存为(_A)…");
  EXPECT_EQ(placed("导出 PDF:", '_', 'p'), "导出 PDF(_P):");
  EXPECT_EQ(placed("&Sichern", '&', 's'), "&Sichern") << "the model wrote it";
  EXPECT_EQ(placed("", '&', 's'), "");
}

}  // namespace
}  // namespace heed
