#include "heed/backend/compute.h"

#include "heed/backend/cpu/cpu_backend.h"

namespace heed {
namespace {

DType chosen(ComputeChoice choice, Purpose purpose) {
  switch (choice) {
    case ComputeChoice::fp32:
      return DType::fp32;
    case ComputeChoice::bf16:
      return DType::bf16;
    case ComputeChoice::int8:
      if (purpose == Purpose::training)
        fail_usage("--compute int8 cannot train, expected auto, fp32 or bf16 (translate takes it)");
      return DType::int8;
    case ComputeChoice::automatic:
      break;
  }
  const DType wish = purpose == Purpose::training ? DType::bf16 : DType::int8;
  return is_faster_than_fp32(wish) ? wish : DType::fp32;
}

}  // namespace

std::unique_ptr<Backend> make_backend(ComputeChoice choice, Purpose purpose) {
  return make_cpu_backend("", chosen(choice, purpose));
}

}  // namespace heed
