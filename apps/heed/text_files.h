// Text files that belong together.
#pragma once

#include <string>
#include <vector>

#include "console.h"
#include "heed/text/text_file.h"

namespace heed {

// All lines of a text ("-" is standard input). Lines that are not UTF-8 are left as they are, with
// a warning that names the first and their number; `strict` makes them an Error.
struct LineRules {
  bool strict = false;
};
std::vector<std::string> read_text(const std::string& path, LineRules rules,
                                   const Console& console);

// An Error unless both have as many lines: line i of one belongs to line i of the other.
void expect_as_many_lines(const std::string& first_path, size_t first_lines,
                          const std::string& path, size_t lines);

// What to do where the output is there already: --overwrite replaces it.
enum class Existing { refuse, replace };

// A UsageError where the file that `flag` writes is one of those that are read: they would be lost.
void expect_another_file(const std::string& flag, const std::string& output,
                         const std::vector<std::string>& inputs);

}  // namespace heed
