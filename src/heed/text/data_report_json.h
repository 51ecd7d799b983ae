// The report of an inspection of parallel text, for programs.
#pragma once

#include <string>

#include "heed/text/data_report.h"

namespace heed {

// The files as a title: "train.zh and train.en".
struct DataTitle {
  std::string source, target;
};

// One JSON object.
std::string data_json(const DataTitle& title, const DataReport& report);

}  // namespace heed
