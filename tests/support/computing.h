// A backend in a compute type: what many tests go through.
#pragma once

#include <ostream>
#include <set>
#include <string>
#include <utility>
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

// The kernels that an instruction set of the cpu backend has in a compute type. Those of AVX3_VNNI,
// AVX3_BF16 and AMX are AVX3's but for the products of int8 or bf16.
inline std::string kernels_of(const std::string& set, DType compute) {
  const bool amx = set == "AMX" || set == "AMX_EMULATED";
  if (!amx && set != "AVX3_VNNI" && set != "AVX3_BF16") return set;
  if (compute == DType::fp32) return "AVX3";
  if (amx) return set;
  const bool multiplies = set == "AVX3_BF16" || (set == "AVX3_VNNI" && compute == DType::int8);
  return multiplies ? "AVX3 with products" : "AVX3";
}

// Every instruction set of the machine in every compute type, without repeating kernels.
inline std::vector<Computing> cpu_computings() {
  std::vector<Computing> all;
  std::set<std::pair<std::string, DType>> seen;
  for (const std::string& set : cpu_instruction_sets())
    for (DType compute : {DType::fp32, DType::bf16, DType::int8})
      if (seen.insert({kernels_of(set, compute), compute}).second) all.push_back({set, compute});
  return all;
}

// The instruction sets whose kernels differ in fp32, and in all but linear().
inline std::vector<std::string> cpu_targets() {
  std::vector<std::string> all;
  for (const Computing& computing : cpu_computings())
    if (computing.compute == DType::fp32) all.push_back(computing.backend);
  return all;
}

}  // namespace heed::testing
