#include "heed/pages/terminal_text.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

constexpr auto kLeft = TableColumn::Side::left;

TEST(TableTextTest, ColumnsAreAsWideAsTheirLongestCell) {
  EXPECT_EQ(table_text({{"name", "count"}, {"a", "12"}, {"bcdef", "1,234,567"}}, {{kLeft}, {}}),
            "name       count\n"
            "a             12\n"
            "bcdef  1,234,567\n");
}

TEST(TableTextTest, TheLeastWidthHasTheGapInIt) {
  EXPECT_EQ(
      table_text({{"a", "1", "2"}, {"b", "12345678", "3"}}, {{kLeft, 4}, {.width = 8, .gap = 1}}),
      "a           1       2\n"
      "b    12345678       3\n");
}

TEST(TableTextTest, AHeadingMayBeLonger) {
  EXPECT_EQ(table_text({{"a", "b"}, {"all of these:"}, {"c", "d"}}, {{kLeft}}),
            "a  b\nall of these:\nc  d\n");
}

TEST(TableTextTest, CharactersOfTwoColumnsCountTwice) {
  EXPECT_EQ(table_text({{"中文", "x"}, {"abc", "y"}}, {{kLeft}}), "中文  x\nabc   y\n");
}

TEST(WrapTest, BreaksBeforeWhatDoesNotFit) {
  EXPECT_EQ(wrap({"ab", "cd", "efg"}, 2, "  ", 8), "ab  cd\n  efg");
  EXPECT_EQ(wrap({"longer than that", "x"}, 0, " ", 8), "longer than that\nx");
  EXPECT_EQ(wrap({}, 3, " ", 8), "");
  EXPECT_EQ(wrap("one  two\nthree", 4), "one two three");
}

}  // namespace
}  // namespace heed
