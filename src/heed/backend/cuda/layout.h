// Who attends to whom, as kernels see it: AttentionLayout (backend/backend.h) in the memory of a
// device, with the same rules.
#pragma once

#include <cstdint>

#include "heed/backend/kinds.h"

namespace heed::cuda {

struct Layout {
  const int32_t* queries = nullptr;    // [sequences + 1] offsets
  const int32_t* keys = nullptr;       // [sequences + 1] offsets
  const int32_t* key_rows = nullptr;   // [keys] or null: key i is row i
  const int32_t* positions = nullptr;  // [query rows] or null
  // [sequences + 1] offsets of pairs of a query and a key: where each sequence's attention weights
  // of one head begin. Null where a kernel does not need them.
  const int64_t* pairs = nullptr;
  int64_t sequences = 0;
  int64_t most_queries = 0, most_keys = 0;  // of a sequence
  Mask mask = Mask::none;
};

}  // namespace heed::cuda
