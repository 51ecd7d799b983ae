#include "heed/text/column_counts.h"

#include <gtest/gtest.h>

namespace heed::detail {
namespace {

TEST(ColumnCounts, RowsWithMoreThanTheUsualColumnsAreWider) {
  ColumnCounts counts;
  EXPECT_EQ(counts.wider_rows(), 0);
  EXPECT_EQ(counts.first_wider_line(), 0);
  int64_t line = 0;
  for (const int64_t columns : {2, 2, 7, 3, 2, 1, 1000}) counts.add(columns, ++line);
  EXPECT_EQ(counts.usual(), 2);
  EXPECT_EQ(counts.wider_rows(), 3);
  EXPECT_EQ(counts.first_wider_line(), 3);
  ColumnCounts even;
  for (const int64_t columns : {3, 2}) even.add(columns, 1);
  EXPECT_EQ(even.usual(), 2) << "of equally many, the fewer";
}

}  // namespace
}  // namespace heed::detail
