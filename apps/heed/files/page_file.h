// Files for the pages that commands write with --html.
#pragma once

#include <string>
#include <vector>

#include "console/console.h"

namespace heed {

// UsageError for standard output ("-"), which has the command's result, and for a file that the
// command also reads; `path` may be empty.
void expect_page_file(const std::string& path, const std::vector<std::string>& read);

// Nothing if the path is empty.
void write_page(const std::string& path, const std::string& html, Console& console);

}  // namespace heed
