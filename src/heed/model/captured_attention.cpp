#include "heed/model/captured_attention.h"

namespace heed {

Tensor CapturedAttention::Layer::of_sequence(int64_t sequence) const {
  check(sequence >= 0 && sequence < queries.count(), "no such sequence");
  int64_t all = 0, before = 0;  // weights of one head
  for (int64_t b = 0; b < queries.count(); ++b) {
    if (b == sequence) before = all;
    all += queries.length(b) * keys.length(b);
  }
  const int64_t heads = all == 0 ? 0 : weights.size() / all;
  const int64_t rows = queries.length(sequence), columns = keys.length(sequence);
  return to_host(weights.slice(heads * before, heads * (before + rows * columns))
                     .reshape({heads, rows, columns}));
}

std::vector<double> CapturedAttention::Layer::mean_over_heads(int64_t sequence) const {
  const Tensor all = of_sequence(sequence);
  const int64_t heads = all.dim(0);
  std::vector<double> mean(size_t(all.dim(1) * all.dim(2)), 0);
  const auto add = [&](const auto* of_heads) {
    for (int64_t h = 0; h < heads; ++h)
      for (size_t i = 0; i < mean.size(); ++i)
        mean[i] += double(of_heads[size_t(h) * mean.size() + i]) / double(heads);
  };
  if (all.dtype() == DType::fp32)
    add(all.data<float>());
  else
    add(all.data<double>());
  return mean;
}

const CapturedAttention::Layer& CapturedAttention::at(AttentionSite site, int64_t layer) const {
  const auto found = layers_.find({site, layer});
  check(found != layers_.end() && found->second.weights, "attention that no pass captured");
  return found->second;
}

Tensor* CapturedAttention::tensor_for(AttentionSite site, int64_t layer,
                                      const AttentionLayout& layout) {
  const auto found = layers_.find({site, layer});
  if (found == layers_.end()) return nullptr;
  found->second.queries = layout.queries;
  found->second.keys = layout.keys.lengths;
  return &found->second.weights;
}

}  // namespace heed
