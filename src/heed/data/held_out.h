// Validation pairs taken out of the training text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/text/parallel_text.h"

namespace heed {

struct HeldOut {
  std::string source, target;     // the lines of the pairs, in the order of the text
  std::vector<uint64_t> sources;  // fingerprints for FilterOptions::held_out, ascending
};

// `count` random pairs of those that pass the filters of TextFilter, with distinct sources. Error:
// the text has fewer.
HeldOut hold_out(const ParallelText& text, const FilterOptions& filters, int64_t count,
                 uint64_t seed);

}  // namespace heed
