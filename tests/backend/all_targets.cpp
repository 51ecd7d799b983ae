// The CPU's instruction sets, and CUDA on the emulation (tests/cuda_emulation).
#include "backend/targets.h"
#include "heed/backend/cpu/cpu_backend.h"
#include "heed/backend/cuda/cuda_backend.h"
#include "support/moving_backend.h"

namespace heed::testing {

std::vector<Computing> computings() {
  std::vector<Computing> all = cpu_computings();
  for (const DType compute : {DType::fp32, DType::bf16}) all.push_back({"cuda", compute});
  return all;
}

std::vector<std::string> targets() {
  std::vector<std::string> all = cpu_targets();
  all.emplace_back("cuda");
  return all;
}

std::unique_ptr<Backend> make_target(const Computing& computing) {
  if (computing.backend != "cuda") return make_cpu_backend(computing.backend, computing.compute);
  return std::make_unique<MovingBackend>(make_cuda_backend(computing.compute));
}

}  // namespace heed::testing
