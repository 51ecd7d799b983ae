// Which compute type a run takes, as people ask for it.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "heed/backend/backend.h"

namespace heed {

enum class ComputeChoice { automatic, fp32, bf16, int8 };
constexpr std::array<std::pair<std::string_view, ComputeChoice>, 4> enum_names(ComputeChoice) {
  return {{{"auto", ComputeChoice::automatic},
           {"fp32", ComputeChoice::fp32},
           {"bf16", ComputeChoice::bf16},
           {"int8", ComputeChoice::int8}}};
}

// What it is for: training needs gradients.
enum class Task { train, infer };

// The CPU backend for a task. `automatic` trains in bf16 and infers in int8 where the machine
// multiplies them faster than fp32. UsageError for training in int8.
std::unique_ptr<Backend> make_cpu_backend(ComputeChoice choice, Task task);

}  // namespace heed
