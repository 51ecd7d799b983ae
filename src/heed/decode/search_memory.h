// The memory that decoding will need, computed before the first step.
#pragma once

#include "heed/backend/backend.h"
#include "heed/decode/search_options.h"
#include "heed/model/config.h"

namespace heed {

// Bytes at most, for one thread. The weights are not included, nor the texts of hypotheses.
struct SearchMemory {
  int64_t caches = 0;       // of keys and values, for every hypothesis at its maximum length
  int64_t activations = 0;  // of the largest step, and of alignments after it
  int64_t scratch = 0;      // of the kernels
  int64_t total() const { return caches + activations + scratch; }
};

// A dry run: a search's passes of the model at their largest, on tensors that have shapes but no
// values (backend/meta_backend.h). `alignment_layers` is the number of decoder layers
// from whose attention words are aligned (alignment_heads_of()).
SearchMemory search_memory(const ModelConfig& config, const Backend& backend,
                           const SearchLimits& limits, int64_t alignment_layers = 1);

}  // namespace heed
