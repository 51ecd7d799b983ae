// Whole text files as lines.
#pragma once

#include <string>
#include <vector>

namespace heed {

// Every line of a plain or gzip file, "-" for standard input. Errors are LineReader's.
std::vector<std::string> read_lines(const std::string& path);

}  // namespace heed
