// Options of translating: the search and how it runs.
#pragma once

#include <optional>

#include "heed/backend/compute.h"
#include "heed/core/options.h"
#include "heed/decode/search_options.h"

namespace heed {

struct DecodeOptions {
  SearchOptions search;
  int64_t batch_tokens = SearchLimits().batch_tokens;  // source tokens in a batch of one thread
  ComputeChoice compute = ComputeChoice::automatic;
  std::optional<int64_t> threads;
  bool strict = false;
  bool attention = false;  // fill TextHypothesis::attention; not an option of the command line

  static void visit(DecodeOptions& self, OptionCollector& v);
  // With SearchOptions::visit_best().
  static void visit_best(DecodeOptions& self, OptionCollector& v, std::string_view note);
  friend bool operator==(const DecodeOptions&, const DecodeOptions&) = default;
};

}  // namespace heed
