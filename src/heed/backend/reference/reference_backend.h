// The oracle of every test: each kernel as its equation says, in plain loops, sums in double.
#pragma once

#include "heed/backend/backend.h"

namespace heed {

// Tensors of float or double.
std::unique_ptr<Backend> make_reference_backend();

}  // namespace heed
