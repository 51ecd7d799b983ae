#include "heed/core/rng.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace heed {

// Each block of four words is multiplied into four lanes; then length, lanes and the zero-padded
// rest are mixed one by one.
uint64_t detail::mix(uint64_t seed, std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::array<uint64_t, 4> lanes, words{};
  for (size_t i = 0; i < lanes.size(); ++i) lanes[i] = mix(0, i);
  uint64_t mixed = mix(bytes.size(), 0);
  for (; bytes.size() >= sizeof words; bytes.remove_prefix(sizeof words)) {
    std::memcpy(words.data(), bytes.data(), sizeof words);
    for (size_t i = 0; i < lanes.size(); ++i)
      lanes[i] = std::rotl((lanes[i] ^ words[i]) * 0x9E3779B97F4A7C15u, 29) * 0xBF58476D1CE4E5B9u;
  }
  for (const uint64_t lane : lanes) mixed = mix(mixed ^ lane, 1);
  words.fill(0);
  bytes.copy(reinterpret_cast<char*>(words.data()), bytes.size());
  for (const uint64_t word : words) mixed = mix(mixed ^ word, 2);
  return mix(seed, mixed);
}

double Random::normal() {
  const double u = 1.0 - uniform();  // in (0, 1]
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * M_PI * uniform());
}

}  // namespace heed
