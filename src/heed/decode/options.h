// What `heed translate` can be told about decoding.
#pragma once

#include <optional>

#include "heed/backend/compute.h"
#include "heed/core/options.h"
#include "heed/decode/search.h"

namespace heed {

struct DecodeOptions {
  SearchOptions search;
  ComputeChoice compute = ComputeChoice::automatic;
  std::optional<int64_t> threads;
  bool strict = false;
  bool attention = false;  // fill Alternative::attention; no option of its own

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& v) {
    SearchOptions::visit(o.search, v);  // ends in the group "Running"
    v("compute", o.compute,
      {.help = "What matrix products compute in: auto is int8 where this machine multiplies it "
               "faster, else fp32. int8 rounds weights and states to 8 bits"});
    v("threads", o.threads, kThreadsOption);
    v("strict", o.strict, kStrictOption);
  }
};

}  // namespace heed
