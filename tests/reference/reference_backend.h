// The reference implementation for tests: each kernel as its equation says, in plain loops, sums in
// double.
#pragma once

#include "heed/backend/backend.h"

namespace heed {

// If `compute` is fp32, which rounds nothing, tensors may be float or double; else float only.
std::unique_ptr<Backend> make_reference_backend(DType compute = DType::fp32);

}  // namespace heed
