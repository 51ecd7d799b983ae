// The backend for CUDA GPUs.
#pragma once

#include <memory>
#include <string>

#include "heed/backend/backend.h"

namespace heed {

// The name of the GPU, or why there is none that heed can use.
struct CudaDevice {
  std::string name;     // empty: there is none
  std::string why_not;  // heed was built without CUDA, or the message of the driver or of cuBLAS
};
CudaDevice find_cuda_device();

// Computes on the first GPU. `compute` is fp32 or bf16. UsageError without a GPU, saying why.
std::unique_ptr<Backend> make_cuda_backend(DType compute);

}  // namespace heed
