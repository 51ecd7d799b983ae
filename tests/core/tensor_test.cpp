#include "heed/core/tensor.h"

#include <gtest/gtest.h>

#include "heed/core/memory.h"
#include "heed/core/rng.h"
#include "support/failing_new.h"

namespace heed {
namespace {

// What a function takes as const Tensor& it cannot write.
using ConstData = decltype(std::declval<const Tensor&>().data<float>());
using ConstSpan = decltype(std::declval<const Tensor&>().span<float>());
static_assert(std::is_same_v<ConstData, const float*>);
static_assert(std::is_same_v<ConstSpan, std::span<const float>>);
static_assert(std::is_same_v<decltype(std::declval<Tensor&>().data<float>()), float*>);

TEST(Tensor, ViewsShareStorage) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const Tensor whole = tensor_of<float>({3, 2}, values);
  Tensor row = whole.slice(1, 2);
  EXPECT_EQ(row.shape(), (Shape{1, 2}));
  row.data<float>()[0] = 9;
  EXPECT_EQ(whole.data<float>()[2], 9);
  EXPECT_EQ(whole.reshape({6}).slice(4, 6).data<float>()[1], 6);
  EXPECT_EQ(whole.dim(-1), 2);
  EXPECT_THROW(whole.slice(2, 4), Bug);
  EXPECT_THROW(whole.reshape({5}), Bug);
  EXPECT_THROW(whole.data<double>(), Bug);
}

TEST(Tensor, ShapesThatOverflowAreRefused) {
  EXPECT_THROW(element_count({int64_t{1} << 40, int64_t{1} << 40}), Bug);
  EXPECT_THROW(element_count({-1}), Bug);
  EXPECT_THROW(Tensor({int64_t{1} << 60}, DType::fp64, meta_memory()), Bug);
  EXPECT_THROW(TensorPool(meta_memory()).tensor({int64_t{1} << 61}), Bug);
}

TEST(TensorPool, UsesABlockAgain) {
  TensorPool pool;
  const std::byte* first = pool.tensor({100}).bytes();
  EXPECT_EQ(pool.tensor({99}).bytes(), first) << "nearly the same size";
  const Tensor held = pool.tensor({100});
  EXPECT_EQ(held.bytes(), first);
  EXPECT_NE(pool.tensor({100}).bytes(), first) << "in use";
}

TEST(TensorPool, ATensorMayOutliveIt) {
  Tensor left;
  {
    TensorPool pool;
    left = pool.tensor({8});
  }
  left.data<float>()[7] = 1;
  EXPECT_EQ(left.data<float>()[7], 1);
}

// Whichever allocation fails, the count is right and no block is lost.
TEST(TensorPool, CountsRightWhenMemoryRunsOut) {
  for (int64_t failing = 0;; ++failing) {
    ASSERT_LT(failing, 20) << "does every tensor allocate?";
    TensorPool pool;
    const Tensor held = pool.tensor({4000});
    const int64_t before = pool.bytes_held();
    Tensor tensor;
    bool failed = false;
    const Shape shape{1000};
    {
      const testing::FailingNew memory(failing);
      try {
        tensor = pool.tensor(shape);
      } catch (const std::bad_alloc&) {
        failed = true;
      }
    }
    if (failed) {
      EXPECT_TRUE(pool.bytes_held() == before || pool.bytes_held() == before + 4096) << failing;
      pool.trim();
      EXPECT_EQ(pool.bytes_held(), before) << failing;
    } else {
      EXPECT_EQ(pool.bytes_held(), before + 4096);
      EXPECT_GT(failing, 2);
      break;
    }
  }
}

TEST(TensorPool, ABlockReturnsWithoutMemory) {
  TensorPool pool;
  Tensor tensor = pool.tensor({1000});
  const std::byte* block = tensor.bytes();
  {
    const testing::FailingNew memory(0);
    tensor = Tensor();
  }
  EXPECT_EQ(pool.tensor({1000}).bytes(), block);
}

// The heap would keep free blocks that lie between used ones.
TEST(TensorPool, LargeBlocksReturnToTheSystem) {
  TensorPool pool;
  // Once such a block was freed, malloc() takes smaller ones from the heap.
  ::operator delete(::operator new(8 << 20));
  std::vector<Tensor> used, unused;
  for (int i = 0; i < 32; ++i) {
    Tensor tensor = pool.tensor({1 << 18});
    std::ranges::fill(tensor.span<float>(), 1.f);
    (i % 2 == 0 ? used : unused).push_back(std::move(tensor));
  }
  const int64_t before = resident_bytes();
  unused.clear();
  pool.trim();
  EXPECT_LT(resident_bytes(), before - (15 << 20));
}

TEST(TensorPool, BatchesOfEverOtherSizesDoNotPileUp) {
  // What a training step does: some tensors in proportion to the batch, all let go at its end.
  TensorPool pool;
  Random random(1);
  int64_t largest = 0;
  for (int step = 0; step < 500; ++step) {
    const int64_t rows = int64_t(200 + random.below(400));
    std::vector<Tensor> held;
    int64_t bytes = 0;
    for (const int64_t columns : {256, 256, 512, 1024, 256, 2, 512, 8}) {
      held.push_back(pool.tensor({rows, columns}));
      bytes += held.back().byte_count();
    }
    largest = std::max(largest, bytes);
  }
  EXPECT_LE(pool.bytes_held(), largest * 3 / 2);
  pool.trim();
  EXPECT_EQ(pool.bytes_held(), 0);
}

}  // namespace
}  // namespace heed
