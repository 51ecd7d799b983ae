// The kernels of one instruction set. Each source file of this directory compiles its family once
// per instruction set and fills its part of the table.
#pragma once

#include "heed/backend/backend.h"
#include "hwy/targets.h"

namespace heed::cpu {

// The instructions that kernels may use. `target` is a bit of hwy::SupportedTargets(); the others
// are instructions that Highway's targets do not tell apart.
struct InstructionSet {
  std::string name;
  int64_t target;
  bool dot_bf16 = false;  // AVX-512 BF16
  bool dot_int8 = false;  // AVX-512 VNNI
  enum class Tiles { none, amx, emulated } tiles = Tiles::none;
};

struct CpuKernels : heed::Kernels {
  double (*peak)() = nullptr;  // measure_cpu_peak()
};

// The entry of a table made by HWY_EXPORT that belongs to an instruction set.
inline size_t dispatch_index(int64_t target) {
  if constexpr ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0) return 0;
  hwy::ChosenTarget chosen;
  chosen.Update(target);
  return chosen.GetIndex();
}

// Each fills in its family's kernels for one instruction set.
void fill_linear(const InstructionSet& set, DType compute, CpuKernels& kernels);
void fill_attention_scores(int64_t target, CpuKernels& kernels);
void fill_attention(int64_t target, CpuKernels& kernels);
void fill_loss(int64_t target, CpuKernels& kernels);
void fill_elementwise(int64_t target, CpuKernels& kernels);
void fill_head_rows(int64_t target, CpuKernels& kernels);
void fill_recurrent(int64_t target, CpuKernels& kernels);
void fill_attention_weights(int64_t target, CpuKernels& kernels);

}  // namespace heed::cpu
