#include "heed/backend/cpu/scratch.h"

#include <array>

#include "heed/core/tensor.h"

namespace heed::cpu {

float* scratch(Scratch use, int64_t floats) {
  thread_local std::array<Tensor, size_t(Scratch::count)> blocks;
  Tensor& block = blocks[size_t(use)];
  if (!block || block.size() < floats) {
    block = Tensor();  // frees the old block first
    block = Tensor({floats + floats / 4 + 64});
  }
  return block.data<float>();
}

}  // namespace heed::cpu
