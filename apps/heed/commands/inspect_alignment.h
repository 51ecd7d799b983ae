// heed inspect model --alignment: which heads of a model align words best.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "commands/inspect_heads.h"
#include "console/console.h"
#include "heed/decode/alignment_choice.h"

namespace heed {

struct AlignmentInspection {
  ModelConfig config;
  AlignmentHeads current;  // before
  bool stored = false;     // whether the model has the best ones now
  AlignmentMeasurement measured;

  // A row for each layer and a column for each head.
  std::string text() const;
  nlohmann::ordered_json json() const;
};

// Measures the model in `directory` on the first lines of the text; its lexicon is of all lines.
// Stores what is best if the settings say so.
AlignmentInspection inspect_alignment(const std::string& directory, const HeadsInspection& settings,
                                      int threads, Console& console);

}  // namespace heed
