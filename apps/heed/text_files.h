// Text files that belong together.
#pragma once

#include <string>
#include <vector>

#include "heed/text/lines.h"

namespace heed {

// An Error unless both have as many lines: line i of one belongs to line i of the other.
void expect_as_many_lines(const std::string& first_path, size_t first_lines,
                          const std::string& path, size_t lines);

}  // namespace heed
