#include "heed/core/rng.h"

#include <gtest/gtest.h>

#include <bit>

namespace heed {
namespace {

// A change would change the result of every training with dropout.
TEST(Dropout, TheFirstBlockHasItsBits) {
  const Dropout dropout{0.1f, 42};
  EXPECT_EQ(dropout.bits(0), 0x0FDA472Bu);
  EXPECT_EQ(dropout.bits(1), 0x30944798u);
  EXPECT_EQ(dropout.bits(0xFFFFFFFFu), 0x2F60BE0Fu);
}

TEST(Dropout, BlocksOf32BitsAreIndependent) {
  const Dropout dropout{0.1f, 42};
  for (const uint64_t block : {uint64_t{1}, uint64_t{2}, uint64_t{65536}, uint64_t{1} << 31}) {
    int differing = 0;
    for (uint64_t i = 0; i < 1000; ++i)
      differing += std::popcount(dropout.bits(i) ^ dropout.bits((block << 32) + i));
    EXPECT_NEAR(differing, 16000, 500) << block;
  }
}

TEST(Dropout, KeepsAsManyAsAsked) {
  for (const float probability : {0.1f, 0.5f, 0.9f}) {
    const Dropout dropout{probability, 7};
    for (const uint64_t block : {uint64_t{0}, uint64_t{3}, uint64_t{1} << 30}) {
      int dropped = 0;
      for (uint64_t i = 0; i < 10000; ++i)
        dropped += dropout.bits((block << 32) + i) < dropout.threshold();
      EXPECT_NEAR(dropped, 10000 * probability, 200) << block;
    }
  }
}

}  // namespace
}  // namespace heed
