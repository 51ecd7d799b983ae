// Reports of an inspection of parallel text: text and HTML (JSON: text/data_report_json.h).
#pragma once

#include <string>
#include <vector>

#include "heed/text/data_report_json.h"

namespace heed {

// In 80 columns, except examples.
std::string data_text(const DataTitle& title, const DataReport& report);
// One self-contained HTML page: charts as SVG, for light and dark, wide and narrow screens.
std::string data_html(const DataTitle& title, const DataReport& report);

// The facts about the sides in both pages, except lengths.
struct FactRow {
  std::string name;            // "different words"
  std::string source, target;  // "12,345"; "-" if it does not apply
};
std::vector<FactRow> fact_rows(const DataReport& report);

// The number of pairs with a finding and their share of `pairs`: "12 (0.4%)", "about 12 (0.4%)".
std::string finding_count(const Finding& finding, int64_t pairs);

// Whether spaces separate the words of this side; in Chinese or Thai a sentence is one "word".
bool is_spaced(const SideReport& side);

// Whether the inspection could find this: some kinds need a test set or a tokenizer.
bool looked_for(FindingKind kind, const DataReport& report);

}  // namespace heed
