// The backend for CPUs: own kernels on Highway for tensors of floats (never doubles), compiled for
// every instruction set and chosen at run time. Kernels run on the calling thread; one object may
// be used by many threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/backend/backend.h"

namespace heed {

// The instruction sets that this machine can run, best first: "AMX", "AVX3_BF16" (with AVX-512 BF16
// and VNNI), "AVX3_VNNI" (with AVX-512 VNNI), then Highway's names such as "AVX3" and "AVX2". The
// list ends with "AMX_EMULATED" if the machine has AVX-512 BF16: AMX's results, slowly, for tests.
std::vector<std::string> cpu_instruction_sets();

// The value of the environment variable HEED_INSTRUCTION_SET; "" if it is unset.
std::string instruction_set_from_environment();

// `compute` is fp32, bf16 or int8. `instruction_set` is one of cpu_instruction_sets(); "" means
// HEED_INSTRUCTION_SET, or else the best. UsageError for a name that is not among them. Results are
// the same on every machine that runs the same instruction set.
std::unique_ptr<Backend> make_cpu_backend(const std::string& instruction_set = "",
                                          DType compute = DType::fp32);

// Whether the instruction set that make_cpu_backend(instruction_set) chooses multiplies this type
// faster than fp32.
bool is_faster_than_fp32(DType compute, const std::string& instruction_set = "");

// Peak operations per second of one core in this type (a multiply-add is two), measured for 20 ms
// on the calling thread: in registers or, for types whose multiply-add takes several instructions,
// by the product of gemm-inl.h with operands in the L1 cache.
double measure_cpu_peak(DType compute, const std::string& instruction_set = "");

}  // namespace heed
