// The page of one training run or of several: curves, options, sample translations.
#pragma once

#include <span>
#include <string>

#include "heed/run/run_history.h"

namespace heed {

enum class PageOf { run_in_progress, files };

// One HTML file. `runs` has at least one, each with at least one report. `of` is run_in_progress if
// the run will write the page again: a reader is then offered to reload it.
std::string run_page_html(std::span<const RunHistory> runs, PageOf of);

}  // namespace heed
