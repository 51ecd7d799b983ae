#include "heed/evaluate/numpy_random.h"

#include <array>
#include <bit>
#include <cstddef>

namespace heed::detail {
namespace {

// SeedSequence: four words of entropy stirred into each other, and eight drawn from them.
std::array<uint64_t, 4> words_of(uint64_t seed) {
  const auto fold = [](uint32_t word) { return word ^ (word >> 16); };
  uint32_t factor = 0x43B0D7E5u;
  const auto hash = [&](uint32_t word, uint32_t step) {
    word ^= factor;
    factor *= step;
    return fold(word * factor);
  };
  constexpr uint32_t kStirStep = 0x931E8875u, kDrawStep = 0x58F38DEDu;
  std::array<uint32_t, 4> pool = {uint32_t(seed), uint32_t(seed >> 32), 0, 0};
  for (uint32_t& word : pool) word = hash(word, kStirStep);
  for (const uint32_t& from : pool) {
    for (uint32_t& to : pool)
      if (&from != &to) to = fold(0xCA01F9DDu * to - 0x4973F715u * hash(from, kStirStep));
  }
  factor = 0x8B51F9DDu;
  std::array<uint64_t, 4> drawn = {};
  for (size_t i = 0; i < 8; ++i)
    drawn[i / 2] |= uint64_t{hash(pool[i % 4], kDrawStep)} << (32 * (i % 2));
  return drawn;
}

}  // namespace

NumpyRandom::NumpyRandom(uint64_t seed) {
  const std::array<uint64_t, 4> words = words_of(seed);
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
  const auto high = uint64_t(state_ >> 64), low = uint64_t(state_);
  return std::rotr(high ^ low, int(high >> 58));
}

uint32_t NumpyRandom::next32() {
  if (has_second_half_) {
    has_second_half_ = false;
    return second_half_;
  }
  const uint64_t both = next64();
  has_second_half_ = true;
  second_half_ = uint32_t(both >> 32);
  return uint32_t(both);
}

// Lemire's multiplication, drawn again where it would be biased.
uint32_t NumpyRandom::below(uint32_t n) {
  if (n == 1) return 0;
  uint64_t product = uint64_t{next32()} * n;
  if (uint32_t(product) < n) {
    const uint32_t threshold = (0u - n) % n;
    while (uint32_t(product) < threshold) product = uint64_t{next32()} * n;
  }
  return uint32_t(product >> 32);
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
