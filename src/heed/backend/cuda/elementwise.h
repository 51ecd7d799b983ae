// Kernels that treat each element alone, and sums over all elements.
#pragma once

#include <cstdint>

#include "heed/backend/kinds.h"
#include "heed/core/rng.h"

namespace heed::cuda {

// As the kernels of these names in backend/backend.h, for `count` elements.
void activate(Activation activation, const float* x, float* y, int64_t count);
void activation_gradient(Activation activation, const float* x, const float* dy, float* dx,
                         int64_t count);
void dropout(const float* x, const Dropout& dropout, float* y, int64_t count);
void add(const float* x, float* y, int64_t count);
void multiply(const float* a, const float* b, float* y, WriteMode mode, int64_t count);

// Writes partial sums of squares, at most kSquareSums of them, and returns how many. Their number
// depends on the count alone.
constexpr int64_t kSquareSums = 1024;
int64_t sums_of_squares(const float* x, int64_t count, double* sums);

// The factors of a step of Adam.
struct AdamFactors {
  float gradient_scale, beta1, beta2, epsilon;
  float rate;               // learning rate / (1 - beta1^step)
  float second_correction;  // 1 / (1 - beta2^step)
  float decay;              // learning rate * weight decay
  float ema_share;          // 1 - ema_decay
};
struct AdamOperands {
  const float* gradient;
  float *parameter, *first_moment, *second_moment;
  float* ema;  // or null
  int64_t count;
};
void adam(const AdamFactors& factors, const AdamOperands& operands);

}  // namespace heed::cuda
