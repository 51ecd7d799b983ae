// CUDA on a GPU: what tools/gpu_check.sh tests.
#include "backend/targets.h"
#include "heed/backend/cuda/cuda_backend.h"
#include "support/moving_backend.h"

namespace heed::testing {

std::vector<Computing> computings() {
  return {{"cuda", DType::fp32}, {"cuda", DType::bf16}};
}
std::vector<std::string> targets() {
  return {"cuda"};
}
std::unique_ptr<Backend> make_target(const Computing& computing) {
  return std::make_unique<MovingBackend>(make_cuda_backend(computing.compute));
}

}  // namespace heed::testing
