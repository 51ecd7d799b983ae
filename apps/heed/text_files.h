// Whole text files as lines.
#pragma once

#include <string>
#include <vector>

namespace heed {

// Every line of a plain or gzip file, "-" for standard input. Errors are LineReader's.
std::vector<std::string> read_lines(const std::string& path);

// An Error unless both have as many lines: line i of one belongs to line i of the other.
void expect_as_many_lines(const std::string& first_path, const std::vector<std::string>& first,
                          const std::string& path, const std::vector<std::string>& lines);

}  // namespace heed
