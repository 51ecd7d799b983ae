// heed inspect model --source: what the heads look at over a text, which of them the model needs,
// and which align words best.
#pragma once

#include "console/console.h"
#include "heed/pages/heads_page.h"

namespace heed {

struct HeadsInspection {
  std::string directory;          // of the model
  std::string source, reference;  // texts; without the latter the model's own translations
  int64_t lines = 0;              // the first ones of them
  int threads = 1;
};

// Prints how far it is if it takes long.
HeadAnalysis inspect_heads(const HeadsInspection& inspection, Console& console);

// Measures the model's heads on the first lines of the text; its lexicon is of all lines.
AlignmentReport inspect_alignment(const HeadsInspection& inspection, Console& console);

}  // namespace heed
