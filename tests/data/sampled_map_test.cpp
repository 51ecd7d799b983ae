#include "heed/data/sampled_map.h"

#include <gtest/gtest.h>

#include "heed/core/rng.h"

namespace heed::detail {
namespace {

TEST(SampledMap, CountsExactlyWhileThereIsRoom) {
  SampledMap<int64_t> table(1000);
  for (int round = 0; round < 3; ++round) {
    for (uint64_t key = 0; key < 1000; ++key) ++*table.insert(detail::mix(7, key), 0);
  }
  EXPECT_EQ(table.size(), 1000);
  EXPECT_EQ(table.period(), 1);
  for (uint64_t key = 0; key < 1000; ++key) EXPECT_EQ(*table.find(detail::mix(7, key)), 3);
  EXPECT_EQ(table.find(detail::mix(8, 1)), nullptr);
}

TEST(SampledMap, TheKeyZeroIsAKey) {
  SampledMap<int64_t> table;
  EXPECT_EQ(table.find(0), nullptr);
  ++*table.insert(0, 4);
  EXPECT_EQ(*table.find(0), 5);
  EXPECT_EQ(table.size(), 1);
}

// What does not fit is estimated: the number of keys, and how many came twice.
TEST(SampledMap, BeyondItsRoomItKeepsAFairSample) {
  constexpr int64_t kKeys = 100'000;
  SampledMap<int64_t> table(2000);
  for (int64_t key = 0; key < kKeys; ++key) {
    for (int64_t times = key % 4 == 0 ? 2 : 1; times > 0; --times) {
      int64_t* count = table.insert(detail::mix(3, uint64_t(key)), 0);
      EXPECT_EQ(count != nullptr, table.sampled(detail::mix(3, uint64_t(key))));
      if (count) ++*count;
    }
  }
  EXPECT_LE(table.size(), 2000);
  EXPECT_GT(table.size(), 500);
  int64_t twice = 0;
  table.for_each([&](uint64_t, int64_t count) { twice += count == 2; });
  EXPECT_NEAR(double(table.size() * table.period()), kKeys, 0.1 * kKeys);
  EXPECT_NEAR(double(twice * table.period()), kKeys / 4, 0.15 * kKeys / 4);
}

}  // namespace
}  // namespace heed::detail
