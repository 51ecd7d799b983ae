// Pairs of the training text set apart to measure the model by.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/text/corpus.h"
#include "heed/text/parallel_text.h"

namespace heed {

struct HeldOut {
  std::string source, target;     // the pairs' lines, in the order of the text
  std::vector<uint64_t> sources;  // fingerprints for FilterOptions::held_out, in order
};

// `count` pairs drawn by `seed` from those that the filters keep by their words, no source line
// twice. Error: the text has fewer.
HeldOut hold_out(const ParallelText& text, const FilterOptions& filters, int64_t count,
                 uint64_t seed);

}  // namespace heed
