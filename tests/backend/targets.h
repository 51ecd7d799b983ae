// The backends that a program tests: those of the CPU, or of a CUDA device. Each program defines
// these functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/backend/backend.h"
#include "support/computing.h"

namespace heed::testing {

// All of them, in every compute type, without repeating kernels.
std::vector<Computing> computings();
// Those whose kernels differ in fp32, and in all but linear().
std::vector<std::string> targets();
// Its operands are in the host's memory.
std::unique_ptr<Backend> make_target(const Computing& computing);

}  // namespace heed::testing
