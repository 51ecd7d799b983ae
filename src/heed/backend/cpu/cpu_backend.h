// The backend for CPUs: own kernels on Highway, float only, compiled for every instruction set and
// chosen at run time. Kernels run on the calling thread; one object may be used by many threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/backend/backend.h"

namespace heed {

// The instruction sets that this machine can run, best first, by Highway's names: "AVX3", "AVX2".
std::vector<std::string> cpu_targets();

// What the environment variable HEED_TARGET asks for; "" where it is unset or empty.
std::string cpu_target_from_environment();

// `target` is one of cpu_targets(); "" means HEED_TARGET, or else the best. UsageError for a name
// that is not among them. Results are the same on every machine that runs the same target.
std::unique_ptr<Backend> make_cpu_backend(const std::string& target = "");

}  // namespace heed
