// A weight in the compute type, in the memory of a CUDA device.
#pragma once

#include "heed/core/tensor.h"

namespace heed::cuda {

class CudaPackedWeight : public PackedWeight {
 public:
  // Rows of bf16, stride() elements apart.
  virtual const uint16_t* bf16() const = 0;
  virtual int64_t stride() const = 0;
};

}  // namespace heed::cuda
