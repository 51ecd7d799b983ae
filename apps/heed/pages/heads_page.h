// What the heads of a model look at, as text or JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

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

}  // namespace heed
