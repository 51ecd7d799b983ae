#include "heed/backend/compute.h"

#include "heed/backend/cpu/cpu_backend.h"

namespace heed {
namespace {

DType chosen(ComputeChoice choice, Task task) {
  switch (choice) {
    case ComputeChoice::fp32:
      return DType::f32;
    case ComputeChoice::bf16:
      return DType::bf16;
    case ComputeChoice::int8:
      if (task == Task::train)
        fail_usage("--compute int8 cannot train, expected auto, fp32 or bf16 (translate takes it)");
      return DType::int8;
    case ComputeChoice::automatic:
      break;
  }
  const DType wish = task == Task::train ? DType::bf16 : DType::int8;
  return cpu_gains_from(wish) ? wish : DType::f32;
}

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(ComputeChoice choice, Task task) {
  return make_cpu_backend("", chosen(choice, task));
}

}  // namespace heed
