// The reference implementation for tests: each kernel as its equation says, in plain loops, sums in
// double.
#pragma once

#include "heed/backend/backend.h"

namespace heed {

// Tensors of float or double; of float alone unless `compute` is fp32.
std::unique_ptr<Backend> make_reference_backend(DType compute = DType::fp32);

}  // namespace heed
