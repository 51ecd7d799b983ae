// An inspection of parallel text, as people and programs read it.
#pragma once

#include <string>
#include <vector>

#include "heed/text/data_report.h"

namespace heed {

// The files as a title: "train.zh and train.en".
struct DataTitle {
  std::string source, target;
};

// In 80 columns, but for examples.
std::string data_text(const DataTitle& title, const DataReport& report);
// One JSON object.
std::string data_json(const DataTitle& title, const DataReport& report);
// One HTML page that needs nothing beside itself: charts as SVG, light and dark, wide and narrow.
std::string data_html(const DataTitle& title, const DataReport& report);

// What both pages tell of the sides beside lengths, in words.
struct FactRow {
  std::string name;            // "different words"
  std::string source, target;  // "12,345"; "-" where it does not apply
};
std::vector<FactRow> fact_rows(const DataReport& report);

// The number of pairs with a finding and their share of `pairs`: "12 (0.4%)", "about 12 (0.4%)".
std::string finding_count(const Finding& finding, int64_t pairs);

// Whether spaces separate the words of this side; in Chinese or Thai a sentence is one "word".
bool is_spaced(const SideReport& side);

// Whether the inspection had what it takes to find this: a test, a tokenizer.
bool looked_for(FindingKind kind, const DataReport& report);

}  // namespace heed
