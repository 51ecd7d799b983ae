// The files of `heed inspect data` and `heed clean`.
#pragma once

#include <string>
#include <vector>

#include "console/command.h"
#include "heed/data/data_inspection.h"
#include "heed/pages/data_page.h"

namespace heed {

// Pairs of files as words, SOURCE TARGET SOURCE TARGET, or tab-separated text, and a test set.
struct InspectionNames {
  const Words& words;
  const TsvOptions& tabular;
  const std::string& test_source;
  const std::string& test_target;

  // Each with its option or word.
  std::vector<NamedInput> inputs() const;
  // At most this many lines of streams among the pairs are read; 0: all.
  InspectionFiles open(const Console& console, int64_t max_lines = 0) const;
};

// The first files of both sides, and how many more there are.
DataTitle title_of(const InspectionFiles& files);

}  // namespace heed
