// The smoothed cross entropy (section 5.4).
#pragma once

#include <cstdint>

namespace heed::cuda {

struct CrossEntropyOperands {
  float* logits;          // [rows, classes]
  const int32_t* labels;  // [rows]
  float* losses;          // [rows, 2]
  int64_t rows, classes;  // classes: at most kMaxClasses
};
constexpr int64_t kMaxClasses = int64_t{1} << 27;

// As the kernel of this name in backend/backend.h.
void cross_entropy(const CrossEntropyOperands& operands, double smoothing, double gradient_scale);

}  // namespace heed::cuda
