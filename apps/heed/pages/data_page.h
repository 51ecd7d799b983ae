// Reports of an inspection of parallel text: text and HTML (JSON: heed/pages/data_report_json.h).
#pragma once

#include <string>
#include <vector>

#include "heed/pages/data_report_json.h"

namespace heed {

// In 80 columns, except examples.
std::string data_text(const DataTitle& title, const DataReport& report);
// One self-contained HTML page of the kind "data" (heed/pages/page.h).
std::string data_html(const DataTitle& title, const DataReport& report);

// The facts about the sides, except lengths.
struct FactRow {
  std::string name;            // "different words"
  std::string source, target;  // "12,345"; "-" if it does not apply
};
std::vector<FactRow> fact_rows(const DataReport& report);

// The number of pairs with a finding and their share of `pairs`: "12 (0.4%)", "about 12 (0.4%)".
std::string finding_count(const Finding& finding, int64_t pairs);

}  // namespace heed
