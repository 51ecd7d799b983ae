// A backend in a compute type: what many tests go through.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "heed/backend/cpu/cpu_backend.h"

namespace heed::testing {

// "reference", or an instruction set of the cpu backend, in a compute type.
struct Computing {
  std::string backend;
  DType compute = DType::fp32;
};

inline void PrintTo(const Computing& computing, std::ostream* out) {
  *out << computing.backend << ' ' << name(computing.compute);
}

// Every instruction set of the machine in every compute type.
inline std::vector<Computing> cpu_computings() {
  std::vector<Computing> all;
  for (const std::string& target : cpu_instruction_sets())
    for (DType compute : {DType::fp32, DType::bf16, DType::int8}) all.push_back({target, compute});
  return all;
}

}  // namespace heed::testing
