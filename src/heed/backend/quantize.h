// int8, symmetric: a row is scale * q, |q| <= 127 (DType::int8).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "heed/core/tensor.h"

namespace heed {

// The scale of a row whose greatest magnitude is `largest`; 0 for a row of zeros. It has 16
// significant bits, so that scale * q is exact in fp32 and a quantized row quantizes to itself; and
// is rounded up, so that no q exceeds 127. NaN for a row with NaN or infinity, which integers
// cannot represent: the scale makes every product with the row NaN.
inline float int8_scale(float largest) {
  if (!std::isfinite(largest)) return std::numeric_limits<float>::quiet_NaN();
  if (!(largest > 0)) return 0;
  const auto bits = std::bit_cast<uint32_t>(largest / 127.0f);
  return std::bit_cast<float>((bits + 0xFFu) & ~uint32_t{0xFF});
}

inline float int8_scale(std::span<const float> row) {
  float largest = 0;
  for (const float x : row) {
    if (std::isnan(x)) return x;
    largest = std::max(largest, std::abs(x));
  }
  return int8_scale(largest);
}

// The q of one value: to nearest, ties to even.
inline int8_t int8_of(float value, float scale) {
  if (!(scale > 0)) return 0;
  return static_cast<int8_t>(std::clamp(std::nearbyint(value * (1 / scale)), -127.0f, 127.0f));
}

// The nearest bf16, ties to even, as a float. NaN stays NaN.
inline float to_bf16(float x) {
  if (std::isnan(x)) return x;
  const auto bits = std::bit_cast<uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000u);
}
inline Bf16 bf16_of(float x) {
  return {uint16_t(std::bit_cast<uint32_t>(to_bf16(x)) >> 16)};
}

}  // namespace heed
