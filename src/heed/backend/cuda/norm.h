// Normalization with the residual connection (section 3.1), and its gradient.
#pragma once

#include <cstdint>

#include "heed/backend/kinds.h"
#include "heed/core/rng.h"

namespace heed::cuda {

// As NormOptions in backend/backend.h.
struct NormSettings {
  float epsilon;
  NormKind kind;
  Dropout dropout;
};

// The operands of add_norm in backend/backend.h.
struct NormOperands {
  const float* x = nullptr;
  const float* sublayer = nullptr;  // or null
  const float* gain = nullptr;
  const float* bias = nullptr;  // or null
  float *sum = nullptr, *statistics = nullptr, *y = nullptr;
  uint16_t* rounded = nullptr;  // or null: y in bf16 too
  int64_t rows = 0, columns = 0;
};
void add_norm(const NormOperands& operands, const NormSettings& settings);

// The operands of add_norm_gradient.
struct NormGradientOperands {
  const float *dy, *sum, *statistics, *gain;
  float* dx;
  WriteMode mode;
  float* dsublayer;  // or null
  float* dgain;
  float* dbias;     // or null
  float* partials;  // norm_partials(rows, columns) elements of scratch memory
  int64_t rows, columns;
};
void add_norm_gradient(const NormGradientOperands& operands, const NormSettings& settings);
int64_t norm_partials(int64_t rows, int64_t columns);

}  // namespace heed::cuda
