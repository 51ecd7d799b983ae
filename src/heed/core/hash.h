// 64-bit fingerprints of bytes, by XXH3: they notice changes and damage, and resist no attacker.
// Files keep them: training states and checkpoints, corpus caches.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace heed {

uint64_t hash_of(std::string_view bytes);
// Of the numbers' bytes.
uint64_t hash_of(std::span<const uint64_t> numbers);

// The same of bytes that come in portions.
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
