// Reads what the files in a directory say of its training run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "heed/pages/run_page.h"

namespace heed {

// The options of a JSON object (to_json()) that are set, as text, without that of the directory.
std::vector<std::pair<std::string, std::string>> set_options(const std::string& json);

// Reads the run of a directory. Its options, which need not be those of this version of heed, are
// those of its training state. What is damaged is left out, with a warning. Error if there is no
// metrics.jsonl, or if that has no report.
RunHistory read_run(const std::filesystem::path& directory);

}  // namespace heed
