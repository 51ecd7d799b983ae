// bf16 in the memory of a device: the upper half of a float, as 16 bits.
#pragma once

#include <cstdint>
#include <cstring>

#include "cuda_thread.h"

namespace heed::cuda {

__device__ inline float from_bf16(uint16_t bits) {
  const uint32_t wide = uint32_t(bits) << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

// The nearest, ties to even; NaN stays NaN.
__device__ inline uint16_t to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace heed::cuda
