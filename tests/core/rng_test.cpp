#include "heed/core/rng.h"

#include <gtest/gtest.h>

#include <bit>

namespace heed {
namespace {

// A change would change the result of every training and of every sample.
TEST(Mix, OfBytesIsWhatItWas) {
  EXPECT_EQ(detail::mix(42, ""), 0x3BA728C148B8833Du);
  EXPECT_EQ(detail::mix(42, "abc"), 0x363D8D8CB0508299u);
  EXPECT_EQ(detail::mix(42, "0123456789abcdef0123456789abcdef"), 0x160B9A43851D1513u);
  EXPECT_EQ(detail::mix(42, "encoder.layers.0.self_attn.q_proj.weight"), 0x16FA0A1A398BBAB7u);
}

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
