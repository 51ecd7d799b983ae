#include "heed/core/hash.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "heed/core/rng.h"

namespace heed {
namespace {

std::string random_bytes(size_t size) {
  Random random(7);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = char(random());
  return bytes;
}

TEST(Hash, DoesNotDependOnPortions) {
  const std::string bytes = random_bytes(1000);
  Random random(3);
  for (int round = 0; round < 50; ++round) {
    Hash hash;
    for (size_t begin = 0; begin < bytes.size();) {
      const size_t count = random.below(80);
      hash.add(std::string_view(bytes).substr(begin, count));
      begin += count;
    }
    EXPECT_EQ(hash.value(), hash_of(bytes));
  }
}

TEST(Hash, NoticesEveryFlippedBitAndEveryLength) {
  std::string bytes = random_bytes(100);
  std::set<uint64_t> seen{hash_of(bytes)};
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] = char(bytes[bit / 8] ^ (1 << bit % 8));
    EXPECT_TRUE(seen.insert(hash_of(bytes)).second) << "bit " << bit;
    bytes[bit / 8] = char(bytes[bit / 8] ^ (1 << bit % 8));
  }
  for (size_t length = 0; length < 200; ++length) {
    EXPECT_TRUE(seen.insert(hash_of(std::string(length, '\0'))).second) << "length " << length;
  }
}

TEST(Hash, OfNumbersIsOfTheirBytes) {
  const std::array<uint64_t, 2> numbers = {0x6867666564636261u, 0x706F6E6D6C6B6A69u};
  EXPECT_EQ(hash_of(numbers), hash_of("abcdefghijklmnop"));
}

}  // namespace
}  // namespace heed
