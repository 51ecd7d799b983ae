// The report of an inspection of parallel text, as text, JSON and a page.
#pragma once

#include <string>

#include "heed/data/data_report.h"

namespace heed {

// The files as a title: "train.zh and train.en".
struct DataTitle {
  std::string source, target;
};

// In 80 columns, except examples.
std::string data_text(const DataTitle& title, const DataReport& report);

// Whether every line with a finding is listed, or those of examples alone.
enum class ListedLines { all, examples };

// One JSON object.
std::string data_json(const DataTitle& title, const DataReport& report,
                      ListedLines lines = ListedLines::all);

// One self-contained HTML page of the kind "data" (heed/pages/page.h).
std::string data_html(const DataTitle& title, const DataReport& report);

}  // namespace heed
