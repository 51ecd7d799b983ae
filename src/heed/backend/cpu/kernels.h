// The kernels of one instruction set. Each source file of this folder compiles its family once per
// instruction set and fills its part of the table.
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

// Signatures and meaning are those of Backend's members of the same name.
struct Kernels {
  double (*peak)();
  std::shared_ptr<const Prepared> (*prepare)(const Tensor& weight, Passes passes);
  int64_t (*prepared_bytes)(const Tensor& weight, Passes passes);
  int64_t (*scratch_bytes)(int64_t columns);
  void (*linear)(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation,
                 const Tensor& y);
  void (*linear_input_gradient)(const Tensor& dy, const Tensor& weight, const Tensor& dx,
                                Write write);
  void (*linear_weight_gradient)(const Tensor& dy, const Tensor& x, int64_t first,
                                 const Tensor& dweight, const Tensor& dbias, Write write);

  void (*write_cache)(const Tensor& x, std::span<const int32_t> rows, const Tensor& cache);
  void (*attention)(const AttentionInput& input, const AttentionLayout& layout,
                    const AttentionOptions& options, const AttentionOutput& output);
  void (*attention_gradient)(const Tensor& dout, const AttentionInput& input,
                             const AttentionLayout& layout, const AttentionOptions& options,
                             const AttentionOutput& forward, const AttentionGradient& gradient);

  void (*add_norm)(const Tensor& x, const Tensor& sublayer, const Tensor& gain, const Tensor& bias,
                   const NormOptions& options, const Tensor& sum, const Tensor& statistics,
                   const Tensor& y);
  void (*add_norm_gradient)(const Tensor& dy, const Tensor& sum, const Tensor& statistics,
                            const Tensor& gain, const NormOptions& options,
                            const Backend::AddNormGradient& out);

  void (*cross_entropy)(const Tensor& logits, std::span<const TokenId> labels,
                        const CrossEntropyOptions& options, const Tensor& losses);
  TopClasses (*top_classes)(const Tensor& logits, int64_t k);

  void (*embed)(const Tokens& tokens, const Tensor& table, const Tensor& positions, double scale,
                const Dropout& dropout, const Tensor& out);
  void (*embed_gradient)(const Tokens& tokens, const Tensor& dout, double scale,
                         const Dropout& dropout, TokenId frozen, const Tensor& dtable);

  void (*activate)(Activation activation, const Tensor& x, const Tensor& y);
  void (*activation_gradient)(Activation activation, const Tensor& x, const Tensor& dy,
                              const Tensor& dx);
  void (*drop)(const Tensor& x, const Dropout& dropout, const Tensor& y);
  void (*add)(const Tensor& x, const Tensor& y);
  double (*sum_of_squares)(const Tensor& x);
  void (*adam)(const AdamStep& step, const Tensor& gradient, const Tensor& parameter,
               const Tensor& m, const Tensor& v, const Tensor& average);
};

// Each fills in its family's kernels for one instruction set.
void fill_linear(const InstructionSet& set, ComputeType compute, Kernels& kernels);
void fill_attention(int64_t target, Kernels& kernels);
void fill_norm(int64_t target, Kernels& kernels);
void fill_loss(int64_t target, Kernels& kernels);
void fill_embedding(int64_t target, Kernels& kernels);
void fill_elementwise(int64_t target, Kernels& kernels);

}  // namespace heed::cpu
