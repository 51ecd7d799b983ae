#include "heed/backend/meta_backend.h"

namespace heed {
namespace {

class MetaBackend : public Backend {
 public:
  explicit MetaBackend(DType compute) : compute_(compute) {
    visit_kernels([](const char*, auto& kernel) { compute_nothing(kernel); });
    top_k = [](const Tensor& logits, int64_t k) -> TopK {
      const auto count = size_t(logits.rows() * k);
      return {std::vector<TokenId>(count, 0), std::vector<float>(count, 0)};
    };
  }

  std::string name() const override { return "shapes"; }
  DType compute_type() const override { return compute_; }
  const std::shared_ptr<TensorMemory>& memory() const override { return meta_memory(); }

 private:
  template <class Result, class... Operands>
  static void compute_nothing(std::function<Result(Operands...)>& kernel) {
    kernel = [](Operands...) { return Result(); };
  }

  const DType compute_;
};

}  // namespace

std::unique_ptr<Backend> make_meta_backend(DType compute) {
  return std::make_unique<MetaBackend>(compute);
}

}  // namespace heed
