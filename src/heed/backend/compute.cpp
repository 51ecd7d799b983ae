#include "heed/backend/compute.h"

#include "heed/backend/cpu/cpu_backend.h"

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

std::unique_ptr<Backend> make_backend(ComputeChoice choice, Purpose purpose) {
  return make_cpu_backend("", chosen(choice, purpose));
}

}  // namespace heed
