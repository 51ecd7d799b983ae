// The mean of the heads of an attention.
#pragma once

#include <vector>

#include "heed/core/tensor.h"

namespace heed::testing {

// Of weights [heads, queries, keys]: [queries, keys].
inline std::vector<double> mean_over_heads(const Tensor& weights) {
  const int64_t heads = weights.dim(0);
  std::vector<double> mean(size_t(weights.dim(1) * weights.dim(2)), 0);
  with_values(weights, [&](auto of_heads) {
    for (int64_t h = 0; h < heads; ++h)
      for (size_t i = 0; i < mean.size(); ++i)
        mean[i] += double(of_heads[size_t(h) * mean.size() + i]) / double(heads);
  });
  return mean;
}

}  // namespace heed::testing
