#include "heed/core/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

// The check value of the catalogue of CRCs, and the vectors of RFC 3720, B.4.
TEST(Crc32cTest, IsCastagnolis) {
  EXPECT_EQ(crc32c_of("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c_of(""), 0u);
  EXPECT_EQ(crc32c_of(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c_of(std::string(32, '\xFF')), 0x62A8AB43u);
}

}  // namespace
}  // namespace heed
