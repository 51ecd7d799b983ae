#include <gmock/gmock.h>

#include "heed/text/text_file.h"
#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::HasSubstr;

TEST(TsvOptionsTest, ColumnsAreTwoNumbers) {
  const auto message = [](TsvOptions options) { return error_of([&] { options.check(); }); };
  EXPECT_EQ(message({{"f"}, {"2", "1"}}), "");
  EXPECT_EQ(message({}), "");
  for (const std::vector<std::string>& columns :
       {std::vector<std::string>{"1"}, {"1", "2", "3"}, {"0", "1"}, {"a", "b"}, {"1", "1"}, {}})
    EXPECT_THAT(message({{"f"}, columns}), HasSubstr("--columns"));
  EXPECT_THAT(message({{}, {"2", "1"}}), HasSubstr("--columns"));
  EXPECT_EQ(error_of([] { TsvOptions{{}, {"2", "1"}}.check({"valid.tsv"}); }), "");
}

}  // namespace
}  // namespace heed
