#include "heed/evaluate/numpy_random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heed::detail {
namespace {

using ::testing::ElementsAre;

struct Draws {
  std::vector<uint32_t> below_1000, below_3e9;
  std::string flips;
};

// In Python: r = numpy.random.default_rng(seed); r.choice(1000, 6), r.choice(3_000_000_000, 4),
// r.integers(2, size=40, dtype=bool).
Draws draw(uint64_t seed) {
  NumpyRandom random(seed);
  Draws draws;
  for (int i = 0; i < 6; ++i) draws.below_1000.push_back(random.below(1000));
  for (int i = 0; i < 4; ++i) draws.below_3e9.push_back(random.below(3'000'000'000));
  for (int i = 0; i < 40; ++i) draws.flips += random.flip() ? '1' : '0';
  return draws;
}

TEST(NumpyRandom, DrawsWhatNumpyDraws) {
  const Draws usual = draw(12345);
  EXPECT_THAT(usual.below_1000, ElementsAre(699, 227, 788, 316, 204, 797));
  EXPECT_THAT(usual.below_3e9, ElementsAre(2028764011, 2518275128, 1794926260, 639429039));
  EXPECT_EQ(usual.flips, "0010001111110011101100111111010010110100");
  const Draws zero = draw(0);
  EXPECT_THAT(zero.below_1000, ElementsAre(850, 636, 511, 269, 307, 40));
  EXPECT_THAT(zero.below_3e9, ElementsAre(225720425, 49582906, 525801878, 2439810717));
  const Draws wide = draw((uint64_t{1} << 40) + 7);
  EXPECT_THAT(wide.below_1000, ElementsAre(206, 829, 609, 255, 17, 153));
  EXPECT_THAT(wide.below_3e9, ElementsAre(1514132298, 2655564380, 2216522156, 283480328));
}

TEST(NumpyRandom, OfOneThereIsNoChoice) {
  NumpyRandom random(1), other(1);
  EXPECT_EQ(random.below(1), 0u);
  EXPECT_EQ(random.below(1000), other.below(1000));  // and nothing was drawn
}

}  // namespace
}  // namespace heed::detail
