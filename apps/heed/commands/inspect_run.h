// heed inspect run: one training run, or several beside each other.
#pragma once

#include <string>
#include <vector>

#include "console/console.h"

namespace heed {

enum class RunsFormat { text, json };

// Prints the runs of these directories, and writes their page to `html` unless that is empty.
void inspect_runs(const std::vector<std::string>& directories, RunsFormat format,
                  const std::string& html, Console& console);

}  // namespace heed
