// What each head of a model looks at on average over a text, and how much the model needs it.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "heed/core/parallel.h"
#include "heed/decode/head_means.h"
#include "heed/decode/model_outputs.h"

namespace heed {

struct HeadAnalysis {
  int64_t lines = 0, left_out = 0;  // pairs that were looked at, and those that were not
  int64_t source_tokens = 0, target_tokens = 0;  // </s> included
  double loss = 0;  // cross entropy in nats a token, without label smoothing
  // By AttentionSite, [layers * heads].
  std::array<std::vector<HeadReport>, 3> sites;
};

// The heads of a model over pairs of lines. Pairs without a source and pairs with more tokens than
// the model has positions are left out; Error if none remain. The model is fp32 with the values of
// `weights`, its parameters, as load_model() gives it, and packed for the backend; these are
// changed during the call, and restored unless it throws. `progress` is called with the number of
// heads that were left out so far and the number of all.
HeadAnalysis analyze_heads(const ModelParts& parts, const std::vector<Parameter>& weights,
                           const std::vector<std::pair<std::string, std::string>>& pairs,
                           Workers& workers,
                           const std::function<void(int64_t done, int64_t all)>& progress = {});

}  // namespace heed
