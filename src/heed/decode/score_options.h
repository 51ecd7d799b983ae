// Options of scoring.
#pragma once

#include <optional>

#include "heed/backend/compute.h"
#include "heed/core/options.h"

namespace heed {

struct ScoreOptions {
  int64_t batch_tokens = 2048;  // of each side per batch; each thread has its own batch
  ComputeChoice compute = ComputeChoice::fp32;
  std::optional<int64_t> threads = {};
  bool strict = false;

  static void visit(ScoreOptions& self, OptionCollector& v);
};

}  // namespace heed
