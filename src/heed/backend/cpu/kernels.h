// The kernels of one instruction set. Each source file of this directory compiles its family once
// per instruction set and fills its part of the table.
#pragma once

#include "heed/backend/backend.h"

namespace heed::cpu {

// What kernels may use. `target` is a bit of hwy::SupportedTargets(); the others are instructions
// that Highway's targets do not tell apart.
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

// Each fills in its family's kernels for one instruction set.
void fill_linear(const InstructionSet& set, DType compute, CpuKernels& kernels);
void fill_attention(int64_t target, CpuKernels& kernels);
void fill_norm(int64_t target, CpuKernels& kernels);
void fill_loss(int64_t target, CpuKernels& kernels);
void fill_embedding(int64_t target, CpuKernels& kernels);
void fill_elementwise(int64_t target, CpuKernels& kernels);
void fill_head_rows(int64_t target, CpuKernels& kernels);
void fill_attention_products(int64_t target, CpuKernels& kernels);
void fill_attention_weights(int64_t target, CpuKernels& kernels);
void fill_additive_scores(int64_t target, CpuKernels& kernels);
void fill_positional_scores(int64_t target, CpuKernels& kernels);

}  // namespace heed::cpu
