#include "heed/backend/cpu/cpu_backend.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/tiles.h"
#include "hwy/targets.h"

namespace heed {
namespace {

std::vector<cpu::InstructionSet> instruction_sets() {
  using Tiles = cpu::InstructionSet::Tiles;
  std::vector<cpu::InstructionSet> sets;
  std::optional<cpu::InstructionSet> emulated;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (target == HWY_AVX3) {
      const bool int8 = __builtin_cpu_supports("avx512vnni") != 0;
      const bool bf16 = int8 && __builtin_cpu_supports("avx512bf16") != 0;
      if (bf16 && cpu::amx_works()) sets.push_back({"AMX", target, true, true, Tiles::amx});
      if (bf16) sets.push_back({"AVX3_BF16", target, true, true});
      if (int8) sets.push_back({"AVX3_VNNI", target, false, true});
      if (bf16) emulated = {"AMX_EMULATED", target, true, true, Tiles::emulated};
    }
    sets.push_back({hwy::TargetName(target), target});
  }
  if (emulated) sets.push_back(*emulated);
  return sets;
}

// The one asked for by name, by HEED_INSTRUCTION_SET, or else the best.
cpu::InstructionSet find_instruction_set(const std::string& wanted) {
  const std::string name = wanted.empty() ? instruction_set_from_environment() : wanted;
  const std::vector<cpu::InstructionSet> sets = instruction_sets();
  if (name.empty()) return sets.front();
  for (const cpu::InstructionSet& set : sets)
    if (set.name == name) return set;
  fail_usage(
      "HEED_INSTRUCTION_SET: this machine cannot run the instruction set '{}', expected one of {}",
      name, fmt::join(cpu_instruction_sets(), ", "));
}

cpu::CpuKernels kernels_for(const cpu::InstructionSet& set, DType compute) {
  check(compute != DType::fp64, "the CPU backend computes in fp32, bf16 or int8");
  cpu::CpuKernels kernels = {};
  cpu::fill_linear(set, compute, kernels);
  cpu::fill_attention(set.target, kernels);
  cpu::fill_loss(set.target, kernels);
  cpu::fill_elementwise(set.target, kernels);
  cpu::fill_head_rows(set.target, kernels);
  cpu::fill_recurrent(set.target, kernels);
  cpu::fill_attention_scores(set.target, kernels);
  cpu::fill_attention_weights(set.target, kernels);
  return kernels;
}

class CpuBackend : public Backend {
 public:
  CpuBackend(const cpu::InstructionSet& set, DType compute) : set_(set), compute_(compute) {
    const cpu::CpuKernels kernels = kernels_for(set, compute);
    Kernels::operator=(static_cast<const Kernels&>(kernels));
  }

  std::string name() const override {
    if (compute_ == DType::fp32) return fmt::format("cpu ({})", set_.name);
    return fmt::format("cpu ({}, {})", set_.name, heed::name(compute_));
  }
  DType compute_type() const override { return compute_; }

 private:
  const cpu::InstructionSet set_;
  const DType compute_;
};

}  // namespace

std::vector<std::string> cpu_instruction_sets() {
  std::vector<std::string> names;
  for (const cpu::InstructionSet& set : instruction_sets()) names.push_back(set.name);
  return names;
}

std::string instruction_set_from_environment() {
  const char* value = std::getenv("HEED_INSTRUCTION_SET");
  return value ? value : "";
}

std::unique_ptr<Backend> make_cpu_backend(const std::string& instruction_set, DType compute) {
  return std::make_unique<CpuBackend>(find_instruction_set(instruction_set), compute);
}

bool is_faster_than_fp32(DType compute, const std::string& instruction_set) {
  const cpu::InstructionSet set = find_instruction_set(instruction_set);
  // The targets whose int8 arithmetic is SignedInt8 where there is no VNNI.
  constexpr int64_t kMultipliesBytes = HWY_SSE4 | HWY_AVX2 | HWY_AVX3;
  return (compute == DType::bf16 && set.dot_bf16) ||
         (compute == DType::int8 && (set.dot_int8 || (set.target & kMultipliesBytes) != 0));
}

double measure_cpu_peak(DType compute, const std::string& instruction_set) {
  return kernels_for(find_instruction_set(instruction_set), compute).peak();
}

}  // namespace heed
