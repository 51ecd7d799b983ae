// Counter-based randomness: a value is a function of (seed, index), so nothing is stored, order of
// evaluation is free, and a resumed run draws what the first run would have drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {
namespace detail {

// A 64-bit hash of two numbers (the finaliser of splitmix64), which derives seeds from seeds.
constexpr uint64_t mix(uint64_t seed, uint64_t index) {
  uint64_t x = seed + 0x9E3779B97F4A7C15u * (index + 1);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// The same for a number and bytes, such as a parameter's name. Initial weights and samples depend
// on it: unlike core/hash.h it must never be replaced by another hash.
uint64_t mix(uint64_t seed, std::string_view bytes);

}  // namespace detail

// A sequence of draws from one seed. Satisfies UniformRandomBitGenerator, but use the members: the
// distributions of the standard library differ between implementations.
class Random {
 public:
  using result_type = uint64_t;
  explicit Random(uint64_t seed) : seed_(seed) {}
  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return ~uint64_t{0}; }
  uint64_t operator()() { return detail::mix(seed_, counter_++); }

  // Uniform in [0, n), n > 0; exact enough for n far below 2^64 (Lemire's multiplication).
  uint64_t below(uint64_t n) {
    return uint64_t((static_cast<unsigned __int128>((*this)()) * n) >> 64);
  }
  // Uniform in [0, 1).
  double uniform() { return double((*this)() >> 11) * 0x1p-53; }
  // Standard normal (Box-Muller, one of the pair).
  double normal();

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  uint64_t seed_;
  uint64_t counter_ = 0;
};

// The key of one of 2^64 streams of dropout bits.
struct DropoutKeys {
  uint32_t first, second;
};

// 32 bits from a 32-bit counter under two keys: two rounds of xorshift-multiply, cheap in vectors.
constexpr uint32_t dropout_bits(DropoutKeys keys, uint32_t counter) {
  uint32_t x = (counter ^ keys.first) * 0x9E3779B1u;
  x ^= x >> 16;
  x = (x + keys.second) * 0x21F0AAADu;
  x ^= x >> 15;
  x *= 0x735A2D97u;
  return x ^ (x >> 15);
}

// The elements that dropout keeps: that of a 64-bit index is kept where bits(index) is at least
// threshold(). The upper half of the index chooses the keys, the lower half is the counter. Every
// backend computes this same function.
struct Dropout {
  float probability = 0;  // of zeroing an element; 0 is no dropout
  uint64_t seed = 0;

  constexpr explicit operator bool() const { return probability > 0; }
  // The keys of the elements [block * 2^32, (block + 1) * 2^32). Block 0 uses one key twice, as the
  // first version of heed did, whose models still come out the same.
  constexpr DropoutKeys keys(uint64_t block) const {
    const uint64_t bits = detail::mix(seed, 0x5EED + block);
    return {uint32_t(bits), block == 0 ? uint32_t(bits) : uint32_t(bits >> 32)};
  }
  constexpr uint32_t bits(uint64_t index) const {
    return dropout_bits(keys(index >> 32), uint32_t(index));
  }
  constexpr uint32_t threshold() const { return uint32_t(double(probability) * 4294967296.0); }
  // Kept elements are multiplied by this.
  constexpr double scale() const { return 1.0 / (1.0 - double(probability)); }
};

}  // namespace heed
