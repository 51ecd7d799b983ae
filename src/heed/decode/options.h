// Options of translating: the search and how it runs.
#pragma once

#include <optional>

#include "heed/backend/compute.h"
#include "heed/core/options.h"
#include "heed/decode/search_options.h"

namespace heed {

struct DecodeOptions {
  SearchOptions search;
  int64_t batch_tokens = SearchCapacity().batch_tokens;  // of one thread
  ComputeChoice compute = ComputeChoice::automatic;
  std::optional<int64_t> threads;
  bool strict = false;
  bool attention = false;  // fill Alternative::attention; not an option of the command line

  static void visit(DecodeOptions& self, OptionCollector& v);
  friend bool operator==(const DecodeOptions&, const DecodeOptions&) = default;
};

}  // namespace heed
