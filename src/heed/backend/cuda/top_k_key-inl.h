// The order of classes: 64 bits, greater for greater logits, then for lower ids.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "cuda_thread.h"
#include "heed/backend/cuda/top_k.h"

namespace heed::cuda {

// Below the key of every class.
constexpr uint64_t kNoKey = 0;

// NaN comes last, with -infinity.
__device__ inline uint64_t key_of(float logit, int64_t id) {
  const float sound = logit != logit ? -INFINITY : logit + 0.0f;  // -0 becomes 0
  uint32_t bits;
  memcpy(&bits, &sound, sizeof bits);
  bits = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
  return uint64_t(bits) << 32 | uint32_t(~uint32_t(id));
}

// The class of a key, where log p = logit - normalizer.
__device__ inline Best class_of(uint64_t key, double normalizer) {
  auto bits = uint32_t(key >> 32);
  bits = (bits & 0x80000000u) != 0 ? bits & 0x7fffffffu : ~bits;
  float logit;
  memcpy(&logit, &bits, sizeof logit);
  return {int32_t(~uint32_t(key)), float(double(logit) - normalizer)};
}

// log(sum of e^logit) of one piece, and of a row.
__device__ inline double normalizer_of(const PieceSum& piece) {
  return double(piece.top) + log(piece.sum);
}
__device__ inline double normalizer_of(const PieceSum* pieces, int64_t count) {
  float top = pieces[0].top;
  for (int64_t i = 1; i < count; ++i) top = fmaxf(top, pieces[i].top);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += pieces[i].sum * double(expf(pieces[i].top - top));
  return normalizer_of({sum, top});
}

}  // namespace heed::cuda
