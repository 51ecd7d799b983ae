// In place of the CUDA backend where heed is built without it.
#include "heed/backend/cuda/cuda_backend.h"

namespace heed {

CudaDevice find_cuda_device() {
  return {"", "this heed was built without CUDA"};
}

std::unique_ptr<Backend> make_cuda_backend(DType) {
  fail_usage("--device cuda: {}", find_cuda_device().why_not);
}

}  // namespace heed
