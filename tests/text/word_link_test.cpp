#include "heed/text/word_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(WordLink, IsReadFromText) {
  const auto link = link_of_text("12-3");
  ASSERT_TRUE(link);
  EXPECT_EQ(link->link, (WordLink{12, 3}));
  EXPECT_EQ(link->separator, '-');
  EXPECT_EQ(link_of_text("0p4")->separator, 'p');
  for (const char* other : {"", "-", "1", "1-", "-1", "1--2", "1-2-3", "a-1", "1-b", "+1-2", "1 -2",
                            "2147483648-0", "0-99999999999999999999"})
    EXPECT_FALSE(link_of_text(other)) << other;
}

TEST(WordLink, IsOrderedByTheTarget) {
  EXPECT_THAT(
      in_target_order({{3, 1}, {0, 2}, {1, 1}, {3, 1}, {0, 0}}),
      ::testing::ElementsAre(WordLink{0, 0}, WordLink{1, 1}, WordLink{3, 1}, WordLink{0, 2}));
}

}  // namespace
}  // namespace heed
