// A fast 64-bit fingerprint of bytes: notices change and damage, resists no attacker.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heed {

// Bytes added in any portions give the same value. The same on every machine heed runs on
// (little-endian).
class Hash {
 public:
  explicit Hash(uint64_t seed = 0);
  void add(std::string_view bytes);
  // A number, as eight bytes.
  void add(uint64_t value);
  uint64_t value() const;

 private:
  static constexpr size_t kBlock = 32;
  void add_block(const char* bytes);

  std::array<uint64_t, 4> lanes_;
  std::array<char, kBlock> rest_{};
  uint64_t length_ = 0;
};

uint64_t hash_of(std::string_view bytes);

}  // namespace heed
