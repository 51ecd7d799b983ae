#include "heed/evaluate/numpy_random.h"

#include <array>
#include <bit>
#include <cstddef>

namespace heed::detail {
namespace {

// SeedSequence: four words of entropy stirred into each other, and eight drawn from them.
class SeedSequence {
 public:
  explicit SeedSequence(uint64_t seed) {
    pool_ = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), 0, 0};
    for (uint32_t& word : pool_) word = hash(word);
    for (std::size_t from = 0; from < pool_.size(); ++from) {
      for (std::size_t to = 0; to < pool_.size(); ++to) {
        if (from != to) pool_[to] = combine(pool_[to], hash(pool_[from]));
      }
    }
  }

  std::array<uint64_t, 4> draw() const {
    std::array<uint64_t, 4> drawn = {};
    uint32_t factor = 0x8B51F9DDu;
    for (std::size_t i = 0; i < 8; ++i) {
      uint32_t word = pool_[i % 4] ^ factor;
      factor *= 0x58F38DEDu;
      word *= factor;
      word ^= word >> 16;
      drawn[i / 2] |= uint64_t{word} << (32 * (i % 2));
    }
    return drawn;
  }

 private:
  uint32_t hash(uint32_t word) {
    word ^= factor_;
    factor_ *= 0x931E8875u;
    word *= factor_;
    return word ^ (word >> 16);
  }

  static uint32_t combine(uint32_t a, uint32_t b) {
    const uint32_t word = 0xCA01F9DDu * a - 0x4973F715u * b;
    return word ^ (word >> 16);
  }

  std::array<uint32_t, 4> pool_ = {};
  uint32_t factor_ = 0x43B0D7E5u;
};

}  // namespace

NumpyRandom::NumpyRandom(uint64_t seed) {
  const std::array<uint64_t, 4> words = SeedSequence(seed).draw();
  increment_ = (Wide{words[2]} << 64 | words[3]) << 1 | 1;
  step();
  state_ += Wide{words[0]} << 64 | words[1];
  step();
}

void NumpyRandom::step() {
  constexpr Wide kFactor = Wide{0x2360ED051FC65DA4u} << 64 | 0x4385DF649FCCF645u;
  state_ = state_ * kFactor + increment_;
}

uint64_t NumpyRandom::next64() {
  step();
  const auto high = static_cast<uint64_t>(state_ >> 64), low = static_cast<uint64_t>(state_);
  return std::rotr(high ^ low, static_cast<int>(high >> 58));
}

uint32_t NumpyRandom::next32() {
  if (has_second_half_) {
    has_second_half_ = false;
    return second_half_;
  }
  const uint64_t both = next64();
  has_second_half_ = true;
  second_half_ = static_cast<uint32_t>(both >> 32);
  return static_cast<uint32_t>(both);
}

// Lemire's multiplication, drawn again where it would be biased.
uint32_t NumpyRandom::below(uint32_t n) {
  if (n == 1) return 0;
  uint64_t product = uint64_t{next32()} * n;
  if (static_cast<uint32_t>(product) < n) {
    const uint32_t threshold = (0u - n) % n;
    while (static_cast<uint32_t>(product) < threshold) product = uint64_t{next32()} * n;
  }
  return static_cast<uint32_t>(product >> 32);
}

bool NumpyRandom::flip() {
  if (flips_left_ == 0) {
    flips_ = next32();
    flips_left_ = 32;
  }
  const bool heads = flips_ & 1;
  flips_ >>= 1;
  --flips_left_;
  return heads;
}

}  // namespace heed::detail
