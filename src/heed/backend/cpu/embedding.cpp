// Embedding rows with positions (sections 3.4 and 3.5), and the gradient of their table.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/embedding.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "heed/backend/cpu/dispatch.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

void embed(const Tokens& tokens, const Tensor& table, const Tensor& positions, double scale,
           const Dropout& dropout, Tensor& out) {
  const int64_t d = out.columns();
  const DropoutFactors factors(dropout);
  const Vector factor = set(float(scale));
  std::vector<float> unpacked(table.has_values() ? 0 : size_t(d));
  for (int64_t b = 0; b < tokens.layout.count(); ++b) {
    const int64_t begin = tokens.layout.offsets[size_t(b)];
    for (int64_t i = 0; i < tokens.layout.length(b); ++i) {
      const int64_t r = begin + i;
      const float* row = unpacked.data();
      if (table.has_values())
        row = table.data<float>() + tokens.ids[size_t(r)] * d;
      else
        table.storage()->packed->row(tokens.ids[size_t(r)], unpacked.data());
      const float* position =
          positions ? positions.data<float>() + (tokens.start_of(b) + i) * d : nullptr;
      float* to = out.data<float>() + r * d;
      for (int64_t c = 0; c < d; c += kLanes) {
        const Vector added = position ? load(position + c, d - c) : zero();
        Vector value = hn::MulAdd(load(row + c, d - c), factor, added);
        if (factors.on()) value = hn::Mul(value, factors.at(r * d + c));
        store(value, to + c, d - c);
      }
    }
  }
}

void embed_gradient(const Tokens& tokens, const Tensor& dout, double scale, const Dropout& dropout,
                    TokenId padding_id, Tensor& dtable) {
  const int64_t d = dtable.columns();
  const DropoutFactors factors(dropout);
  const Vector factor = set(float(scale));
  for (int64_t r = 0; r < int64_t(tokens.ids.size()); ++r) {
    if (tokens.ids[size_t(r)] == padding_id) continue;
    float* row = dtable.data<float>() + tokens.ids[size_t(r)] * d;
    const float* gradient = dout.data<float>() + r * d;
    for (int64_t c = 0; c < d; c += kLanes) {
      Vector value = load(gradient + c, d - c);
      if (factors.on()) value = hn::Mul(value, factors.at(r * d + c));
      store(hn::MulAdd(value, factor, load(row + c, d - c)), row + c, d - c);
    }
  }
}

}  // namespace

void fill_embedding_kernels(CpuKernels& kernels) {
  kernels.embed = embed;
  kernels.embed_gradient = embed_gradient;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_embedding_kernels);
void fill_embedding(int64_t target, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_embedding_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
