// A backend that computes nothing, for dry runs: its tensors have shapes and no values, so a pass
// shows how much memory it would take.
#pragma once

#include <memory>

#include "heed/backend/backend.h"

namespace heed {

// `compute` is the compute type that it stands in for, which decides the type of the KV cache.
std::unique_ptr<Backend> make_meta_backend(DType compute = DType::fp32);

}  // namespace heed
