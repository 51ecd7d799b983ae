#include "heed/core/indices.h"

#include <gtest/gtest.h>

#include "support/isolated_backend.h"

namespace heed {
namespace {

TEST(Indices, AreUploadedOnceUntilTheyChange) {
  const auto memory = std::make_shared<testing::IsolatedMemory>();
  Indices indices = {3, 1, 4};
  const int32_t* uploaded = indices.data_in(memory);
  EXPECT_EQ(indices.data_in(memory), uploaded);
  const Indices same = indices;
  EXPECT_EQ(same.data_in(memory), uploaded) << "a copy shares what was uploaded";
  EXPECT_EQ(memory->uploads(), 1);
  indices.push_back(1);
  std::vector<int32_t> values(4);
  memory->download(reinterpret_cast<const std::byte*>(indices.data_in(memory)),
                   reinterpret_cast<std::byte*>(values.data()), 16);
  EXPECT_EQ(values, (std::vector<int32_t>{3, 1, 4, 1}));
  EXPECT_EQ(memory->uploads(), 2);
  EXPECT_EQ(same.size(), 3u);
}

TEST(Indices, OfTheHostAreWhereTheyAre) {
  const Indices indices = {5, 9};
  EXPECT_EQ(indices.data_in(host_memory()), indices.data());
}

}  // namespace
}  // namespace heed
