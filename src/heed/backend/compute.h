// The option --compute: a compute type, or auto.
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

// The CPU backend. `automatic` is bf16 for training and int8 for inference if this CPU multiplies
// them faster than fp32, else fp32. UsageError for training in int8.
std::unique_ptr<Backend> make_backend(ComputeChoice choice, Purpose purpose);

}  // namespace heed
