#include "heed/backend/cuda/attention_layout.h"

#include <algorithm>

namespace heed::cuda {

LayoutOnDevice::LayoutOnDevice(const AttentionLayout& from, Pairs pairs) {
  const Ragged &queries = from.queries, &keys = from.keys.lengths;
  layout.queries = queries.offsets.data_in(cuda_memory());
  layout.keys = keys.offsets.data_in(cuda_memory());
  if (!from.keys.rows.empty()) layout.key_rows = from.keys.rows.data_in(cuda_memory());
  if (from.positions) layout.positions = from.positions->data_in(cuda_memory());
  layout.sequences = queries.count();
  layout.mask = from.mask;
  std::vector<int64_t> begins = {0};
  begins.reserve(size_t(queries.count()) + 1);
  for (int64_t b = 0; b < queries.count(); ++b) {
    layout.most_queries = std::max(layout.most_queries, queries.length(b));
    layout.most_keys = std::max(layout.most_keys, keys.length(b));
    begins.push_back(begins.back() + queries.length(b) * keys.length(b));
  }
  if (pairs == Pairs::needed)
    layout.pairs = pairs_.emplace(std::span<const int64_t>(begins)).data();
}

}  // namespace heed::cuda
