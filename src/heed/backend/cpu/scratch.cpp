#include "heed/backend/cpu/scratch.h"

#include <array>

#include "heed/core/tensor.h"

namespace heed::cpu {

namespace {

// Room for a somewhat larger call.
int64_t floats_for(int64_t floats) {
  return floats + floats / 4 + 64;
}

}  // namespace

int64_t scratch_bytes_of(int64_t floats) {
  return floats_for(floats) * int64_t(sizeof(float));
}

float* scratch(Scratch use, int64_t floats) {
  thread_local std::array<Tensor, size_t(Scratch::count)> blocks;
  Tensor& block = blocks[size_t(use)];
  if (!block || block.size() < floats) {
    block = Tensor();  // frees the old block first
    block = Tensor({floats_for(floats)});
  }
  return block.data<float>();
}

}  // namespace heed::cpu
