// The text before and after a cleaning, as one page.
#pragma once

#include <string>
#include <vector>

#include "heed/data/cleaning.h"
#include "heed/pages/data_page.h"

namespace heed {

// A side of a pair that was kept, and repaired.
struct RepairedLine {
  std::string file;
  int64_t line = 0;  // from 1
  std::string before, after;
};

struct CleaningFacts {
  static constexpr size_t kMaxRepaired = 20;  // lines that a page shows

  CleaningReport counts;
  std::vector<RepairedLine> repaired;  // the first ones
};

// Adds the repaired sides of a pair, until there are kMaxRepaired.
void add_repaired(const CleanedPair& pair, CleaningFacts& facts);

// The counts, as one JSON object.
std::string cleaning_json(const CleaningReport& report);

// One self-contained HTML page of the kind "data" (heed/pages/page.h), with the reports of the text
// that was cleaned and of what is left.
std::string cleaning_html(const DataTitle& title, const DataReport& before, const DataReport& after,
                          const CleaningFacts& facts);

}  // namespace heed
