// Dropout's vectors against its definition, at indices that no tensor of a test reaches. Compiled
// for the instruction set that every machine has.
#include "backend/compare.h"
#include "heed/backend/cpu/simd-inl.h"

namespace heed::cpu::HWY_NAMESPACE {
namespace {

TEST(DropoutFactors, AreThoseOfEachIndex) {
  const Dropout dropout{0.5f, 9};
  const int64_t block = int64_t{1} << 32;
  for (const int64_t first : {int64_t{0}, block, 5 * block}) {
    const DropoutFactors factors(dropout, first);
    for (const int64_t index :
         {int64_t{0}, int64_t{100}, block - kLanes, block - kLanes + 1, block - 1, block, block + 1,
          5 * block, 5 * block + 3, 6 * block - 1, 7 * block - 2, 7 * block + 9}) {
      if (index < first) continue;
      float got[kLanes];
      hn::StoreU(factors.at(index), kFloats, got);
      for (int64_t i = 0; i < kLanes; ++i)
        EXPECT_EQ(got[i], dropout.bits(uint64_t(index + i)) >= dropout.threshold() ? 2 : 0)
            << index << " + " << i << ", made for " << first;
    }
  }
}

}  // namespace
}  // namespace heed::cpu::HWY_NAMESPACE
