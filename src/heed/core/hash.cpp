#include "heed/core/hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "heed/core/rng.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little);

uint64_t word_at(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

Hash::Hash(uint64_t seed) {
  for (size_t i = 0; i < lanes_.size(); ++i) lanes_[i] = mix(seed, i);
}

// Four independent lanes keep the multiplier busy; each step is a bijection of its lane, so a
// single changed word always changes the value. The second multiplication spreads the top bit,
// which the first one leaves alone.
void Hash::add_block(const char* bytes) {
  for (size_t i = 0; i < lanes_.size(); ++i) {
    const uint64_t product = (lanes_[i] ^ word_at(bytes + 8 * i)) * 0x9E3779B97F4A7C15u;
    lanes_[i] = std::rotl(product, 29) * 0xBF58476D1CE4E5B9u;
  }
}

void Hash::add(std::string_view bytes) {
  const size_t held = length_ % kBlock;
  length_ += bytes.size();
  if (held > 0) {
    const size_t taken = std::min(kBlock - held, bytes.size());
    std::copy_n(bytes.data(), taken, rest_.data() + held);
    bytes.remove_prefix(taken);
    if (held + taken < kBlock) return;
    add_block(rest_.data());
  }
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) add_block(bytes.data());
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
}

void Hash::add(uint64_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  add(std::string_view(bytes, sizeof bytes));
}

uint64_t Hash::value() const {
  uint64_t result = mix(length_, 0);
  for (const uint64_t lane : lanes_) result = mix(result ^ lane, 1);
  std::array<char, kBlock> last{};
  std::copy_n(rest_.begin(), length_ % kBlock, last.begin());
  for (size_t i = 0; i < kBlock; i += 8) result = mix(result ^ word_at(last.data() + i), 2);
  return result;
}

uint64_t hash_of(std::string_view bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.value();
}

}  // namespace heed
