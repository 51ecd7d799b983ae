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

// The one asked for by name, by HEED_TARGET, or else the best.
cpu::InstructionSet instruction_set(const std::string& target) {
  const std::string name = target.empty() ? cpu_target_from_environment() : target;
  const std::vector<cpu::InstructionSet> sets = instruction_sets();
  if (name.empty()) return sets.front();
  for (const cpu::InstructionSet& set : sets)
    if (set.name == name) return set;
  fail_usage("HEED_TARGET: this machine cannot run the instruction set '{}', expected one of {}",
             name, fmt::join(cpu_targets(), ", "));
}

cpu::Kernels kernels_for(const cpu::InstructionSet& set, ComputeType compute) {
  cpu::Kernels kernels = {};
  cpu::fill_linear(set, compute, kernels);
  cpu::fill_attention(set.target, kernels);
  cpu::fill_norm(set.target, kernels);
  cpu::fill_loss(set.target, kernels);
  cpu::fill_embedding(set.target, kernels);
  cpu::fill_elementwise(set.target, kernels);
  return kernels;
}

class CpuBackend : public Backend {
 public:
  CpuBackend(const cpu::InstructionSet& set, ComputeType compute)
      : set_(set), compute_(compute), kernels_(kernels_for(set, compute)) {}

  std::string name() const override {
    if (compute_ == ComputeType::fp32) return fmt::format("cpu ({})", set_.name);
    return fmt::format("cpu ({}, {})", set_.name, heed::name(compute_));
  }
  ComputeType compute() const override { return compute_; }
  std::shared_ptr<const Prepared> prepare(const Tensor& weight, Passes passes) override {
    return kernels_.prepare(weight, passes);
  }
  int64_t prepared_bytes(const Tensor& weight, Passes passes) const override {
    return kernels_.prepared_bytes(weight, passes);
  }
  int64_t scratch_bytes(int64_t columns) const override { return kernels_.scratch_bytes(columns); }

  void embed(const Tokens& tokens, const Tensor& table, const Tensor& positions, double scale,
             const Dropout& dropout, const Tensor& out) override {
    kernels_.embed(tokens, table, positions, scale, dropout, out);
  }
  void embed_gradient(const Tokens& tokens, const Tensor& dout, double scale,
                      const Dropout& dropout, TokenId frozen, const Tensor& dtable) override {
    kernels_.embed_gradient(tokens, dout, scale, dropout, frozen, dtable);
  }
  void linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation,
              const Tensor& y) override {
    kernels_.linear(x, weight, bias, activation, y);
  }
  void linear_input_gradient(const Tensor& dy, const Tensor& weight, const Tensor& dx,
                             Write write) override {
    check(kernels_.linear_input_gradient != nullptr, "int8 has no gradients");
    kernels_.linear_input_gradient(dy, weight, dx, write);
  }
  void linear_weight_gradient(const Tensor& dy, const Tensor& x, int64_t first,
                              const Tensor& dweight, const Tensor& dbias, Write write) override {
    check(kernels_.linear_weight_gradient != nullptr, "int8 has no gradients");
    kernels_.linear_weight_gradient(dy, x, first, dweight, dbias, write);
  }
  void activate(Activation activation, const Tensor& x, const Tensor& y) override {
    kernels_.activate(activation, x, y);
  }
  void activation_gradient(Activation activation, const Tensor& x, const Tensor& dy,
                           const Tensor& dx) override {
    kernels_.activation_gradient(activation, x, dy, dx);
  }
  void drop(const Tensor& x, const Dropout& dropout, const Tensor& y) override {
    kernels_.drop(x, dropout, y);
  }
  void add_norm(const Tensor& x, const Tensor& sublayer, const Tensor& gain, const Tensor& bias,
                const NormOptions& options, const Tensor& sum, const Tensor& statistics,
                const Tensor& y) override {
    kernels_.add_norm(x, sublayer, gain, bias, options, sum, statistics, y);
  }
  void add_norm_gradient(const Tensor& dy, const Tensor& sum, const Tensor& statistics,
                         const Tensor& gain, const NormOptions& options,
                         const AddNormGradient& out) override {
    kernels_.add_norm_gradient(dy, sum, statistics, gain, options, out);
  }
  void attention(const AttentionInput& input, const AttentionLayout& layout,
                 const AttentionOptions& options, const AttentionOutput& output) override {
    kernels_.attention(input, layout, options, output);
  }
  void attention_gradient(const Tensor& dout, const AttentionInput& input,
                          const AttentionLayout& layout, const AttentionOptions& options,
                          const AttentionOutput& forward,
                          const AttentionGradient& gradient) override {
    kernels_.attention_gradient(dout, input, layout, options, forward, gradient);
  }
  void cross_entropy(const Tensor& logits, std::span<const TokenId> labels,
                     const CrossEntropyOptions& options, const Tensor& losses) override {
    kernels_.cross_entropy(logits, labels, options, losses);
  }
  TopClasses top_classes(const Tensor& logits, int64_t k) override {
    return kernels_.top_classes(logits, k);
  }
  void write_cache(const Tensor& x, std::span<const int32_t> rows, const Tensor& cache) override {
    kernels_.write_cache(x, rows, cache);
  }
  void add(const Tensor& x, const Tensor& y) override { kernels_.add(x, y); }
  double sum_of_squares(const Tensor& x) override { return kernels_.sum_of_squares(x); }
  void adam(const AdamStep& step, const Tensor& gradient, const Tensor& parameter, const Tensor& m,
            const Tensor& v, const Tensor& average) override {
    kernels_.adam(step, gradient, parameter, m, v, average);
  }

 private:
  const cpu::InstructionSet set_;
  const ComputeType compute_;
  const cpu::Kernels kernels_;
};

}  // namespace

std::vector<std::string> cpu_targets() {
  std::vector<std::string> names;
  for (const cpu::InstructionSet& set : instruction_sets()) names.push_back(set.name);
  return names;
}

std::string cpu_target_from_environment() {
  const char* value = std::getenv("HEED_TARGET");
  return value ? value : "";
}

std::unique_ptr<Backend> make_cpu_backend(const std::string& target, ComputeType compute) {
  return std::make_unique<CpuBackend>(instruction_set(target), compute);
}

bool cpu_gains_from(ComputeType compute, const std::string& target) {
  const cpu::InstructionSet set = instruction_set(target);
  // Without VNNI, int8 is SignedInt8 there.
  constexpr int64_t kMultipliesBytes = HWY_SSE4 | HWY_AVX2 | HWY_AVX3;
  return (compute == ComputeType::bf16 && set.dot_bf16) ||
         (compute == ComputeType::int8 && (set.dot_int8 || (set.target & kMultipliesBytes) != 0));
}

double measure_cpu_peak(ComputeType compute, const std::string& target) {
  return kernels_for(instruction_set(target), compute).peak();
}

}  // namespace heed
