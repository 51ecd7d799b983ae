// The analysis of a model's heads, and the choice of those that align words best, as text or JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "heed/decode/alignment_choice.h"
#include "heed/decode/head_analysis.h"

namespace heed {

struct HeadsTitle {
  std::string source;
  std::string reference;  // empty: the model's own translations
  int64_t heads = 0;      // of a layer
};

// A row for each layer and a column for each head, for each site; then the heads that the model
// needs least and most.
std::string heads_text(const HeadsTitle& title, const HeadAnalysis& analysis);
nlohmann::ordered_json heads_json(const HeadsTitle& title, const HeadAnalysis& analysis);

struct AlignmentReport {
  ModelConfig config;
  AlignmentHeads current;  // before
  bool stored = false;     // whether the model has the best ones now
  AlignmentMeasurement measured;
};

// A row for each layer and a column for each head.
std::string alignment_text(const AlignmentReport& report);
nlohmann::ordered_json alignment_json(const AlignmentReport& report);

}  // namespace heed
