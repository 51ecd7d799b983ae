#include "heed/backend/shape_backend.h"

namespace heed {
namespace {

class ShapeBackend : public Backend {
 public:
  std::string name() const override { return "shapes"; }
  ComputeType compute() const override { return ComputeType::fp32; }
  std::shared_ptr<const Prepared> prepare(const Tensor&, Passes) override { return nullptr; }

  void embed(const Tokens&, const Tensor&, const Tensor&, double, const Dropout&,
             const Tensor&) override {}
  void embed_gradient(const Tokens&, const Tensor&, double, const Dropout&, TokenId,
                      const Tensor&) override {}
  void linear(const Tensor&, const Tensor&, const Tensor&, Activation, const Tensor&) override {}
  void linear_input_gradient(const Tensor&, const Tensor&, const Tensor&, Write) override {}
  void linear_weight_gradient(const Tensor&, const Tensor&, int64_t, const Tensor&, const Tensor&,
                              Write) override {}
  void activate(Activation, const Tensor&, const Tensor&) override {}
  void activation_gradient(Activation, const Tensor&, const Tensor&, const Tensor&) override {}
  void drop(const Tensor&, const Dropout&, const Tensor&) override {}
  void add_norm(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const NormOptions&,
                const Tensor&, const Tensor&, const Tensor&) override {}
  void add_norm_gradient(const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                         const NormOptions&, const AddNormGradient&) override {}
  void attention(const AttentionInput&, const AttentionLayout&, const AttentionOptions&,
                 const AttentionOutput&) override {}
  void attention_gradient(const Tensor&, const AttentionInput&, const AttentionLayout&,
                          const AttentionOptions&, const AttentionOutput&,
                          const AttentionGradient&) override {}
  void cross_entropy(const Tensor&, std::span<const TokenId>, const CrossEntropyOptions&,
                     const Tensor&) override {}
  TopClasses top_classes(const Tensor& logits, int64_t k) override {
    const auto count = size_t(logits.rows() * k);
    return {std::vector<TokenId>(count, 0), std::vector<float>(count, 0)};
  }
  void write_cache(const Tensor&, std::span<const int32_t>, const Tensor&) override {}
  void add(const Tensor&, const Tensor&) override {}
  double sum_of_squares(const Tensor&) override { return 0; }
  void adam(const AdamStep&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
            const Tensor&) override {}
};

}  // namespace

std::unique_ptr<Backend> make_shape_backend() {
  return std::make_unique<ShapeBackend>();
}

}  // namespace heed
