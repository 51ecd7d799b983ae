// Training runs beside each other, as text or JSON.
#pragma once

#include <span>
#include <string>

#include "heed/pages/run_page.h"

namespace heed {

// A line for each run and its best values, then the options: all of one run, those that differ of
// several.
std::string runs_text(std::span<const RunHistory> runs);

// {"runs": [{"name": ..., "step": ..., "options": {...}, ...}], "differing_options": [...]}
std::string runs_json(std::span<const RunHistory> runs);

}  // namespace heed
