// The report of an inspection of parallel text, for programs.
#pragma once

#include <string>

#include "heed/data/data_report.h"

namespace heed {

// The files as a title: "train.zh and train.en".
struct DataTitle {
  std::string source, target;
};

// Whether every line with a finding is listed, or those of examples alone.
enum class ListedLines { all, examples };

// One JSON object.
std::string data_json(const DataTitle& title, const DataReport& report,
                      ListedLines lines = ListedLines::all);

}  // namespace heed
