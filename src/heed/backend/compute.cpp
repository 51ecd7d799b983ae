#include "heed/backend/compute.h"

#include "heed/backend/cpu/cpu_backend.h"

namespace heed {
namespace {

ComputeType chosen(ComputeChoice choice, Task task) {
  switch (choice) {
    case ComputeChoice::fp32:
      return ComputeType::fp32;
    case ComputeChoice::bf16:
      return ComputeType::bf16;
    case ComputeChoice::int8:
      if (task == Task::train)
        fail_usage("--compute int8 cannot train, expected auto, fp32 or bf16 (translate takes it)");
      return ComputeType::int8;
    case ComputeChoice::automatic:
      break;
  }
  const ComputeType wish = task == Task::train ? ComputeType::bf16 : ComputeType::int8;
  return cpu_gains_from(wish) ? wish : ComputeType::fp32;
}

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(ComputeChoice choice, Task task) {
  return make_cpu_backend("", chosen(choice, task));
}

}  // namespace heed
