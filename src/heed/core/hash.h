// 64-bit XXH3 hashes: they detect changes and damage, but are not cryptographic. They are stored in
// training states, checkpoints and corpus caches.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace heed {

uint64_t hash_of(std::string_view bytes);
// The hash of the numbers' bytes.
uint64_t hash_of(std::span<const uint64_t> numbers);

// The hash of bytes that are added in portions.
class Hash {
 public:
  Hash();
  ~Hash();
  void add(std::string_view bytes);
  uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heed
