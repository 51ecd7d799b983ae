#include "heed/backend/compute.h"

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/backend/cuda/cuda_backend.h"
#include "heed/core/parallel.h"

namespace heed {
namespace {

DType chosen(ComputeChoice choice, Purpose purpose) {
  const bool trains = purpose == Purpose::training;
  if (choice == ComputeChoice::int8 && trains)
    fail_usage("--compute int8 cannot train, expected auto, fp32 or bf16 (translate takes it)");
  if (choice == ComputeChoice::fp32) return DType::fp32;
  if (choice == ComputeChoice::bf16) return DType::bf16;
  if (choice == ComputeChoice::int8) return DType::int8;
  const DType wish = trains ? DType::bf16 : DType::int8;
  return is_faster_than_fp32(wish) ? wish : DType::fp32;
}

}  // namespace

int default_threads(const Backend& backend) {
  return backend.tuning().many_threads ? available_threads() : 1;
}

std::unique_ptr<Backend> make_backend(const Computation& computation, Purpose purpose) {
  const ComputeChoice compute = computation.compute;
  if (computation.device == Device::cpu) return make_cpu_backend("", chosen(compute, purpose));
  if (compute == ComputeChoice::int8)
    fail_usage("--compute int8 is not supported with --device cuda, expected auto, fp32 or bf16");
  return make_cuda_backend(compute == ComputeChoice::fp32 ? DType::fp32 : DType::bf16);
}

}  // namespace heed
