// The rules of AttentionLayout (backend/backend.h) for kernels.
#pragma once

#include "cuda_thread.h"
#include "heed/backend/cuda/layout.h"

namespace heed::cuda {

// The keys [begin, end) of a sequence.
struct Keys {
  int64_t begin, end;
};

// One sequence of a layout.
struct Sequence {
  __device__ Sequence(const Layout& whole, int64_t number)
      : layout(whole),
        first_query(whole.queries[number]),
        queries(whole.queries[number + 1] - whole.queries[number]),
        first_key(whole.keys[number]),
        keys(whole.keys[number + 1] - whole.keys[number]) {}

  // The row of key j in the tensors.
  __device__ int64_t key_row(int64_t j) const {
    return layout.key_rows ? layout.key_rows[first_key + j] : first_key + j;
  }
  // How many keys query i attends to, from the first one.
  __device__ int64_t visible_keys(int64_t i) const {
    if (layout.mask == Mask::none) return keys;
    const int64_t visible = keys - queries + i + 1;
    return visible < 0 ? 0 : visible > keys ? keys : visible;
  }
  // The position of query i, at most that of the last key.
  __device__ int64_t position(int64_t i) const {
    const int64_t own = layout.positions              ? layout.positions[first_query + i]
                        : layout.mask == Mask::causal ? i + keys - queries
                                                      : i;
    return own < keys - 1 ? own : keys - 1;
  }
  // The keys that query i attends to; with a window (not negative), those at most that far from its
  // position.
  __device__ Keys visible(int64_t i, int64_t window) const {
    const int64_t end = visible_keys(i);
    if (window < 0) return {0, end};
    const int64_t reach = window < keys ? window : keys, center = position(i);
    const auto within = [end](int64_t j) { return j < 0 ? 0 : j > end ? end : j; };
    return {within(center - reach), within(center + reach + 1)};
  }

  const Layout& layout;
  int64_t first_query, queries;
  int64_t first_key, keys;
};

}  // namespace heed::cuda
