// Text files that belong together.
#pragma once

#include <string>
#include <vector>

#include "console/console.h"
#include "heed/text/text_file.h"

namespace heed {

// All lines of a text ("-" is standard input). Lines that are not UTF-8 are left as they are, with
// a warning that names the first and their number; `strict` makes them an Error.
struct LineRules {
  bool strict = false;
};
std::vector<std::string> read_text(const std::string& path, LineRules rules,
                                   const Console& console);
// A text that must have as many lines as one that was read before: line i of one belongs to line i
// of the other. An Error with both counts otherwise; a longer text is not read to its end, which it
// may not have.
struct TextLength {
  const std::string& path;
  size_t lines;
};
std::vector<std::string> read_text(const std::string& path, const TextLength& other,
                                   LineRules rules, const Console& console);

// For texts that may be streams: notes how far a copy is that takes long.
CopyOptions told_copying(const Console& console);

// Error: the other text is longer.
[[noreturn]] void fail_unequal_lines(const TextLength& shorter, const std::string& longer_path);

// A UsageError where the file that `flag` writes is one of those that are read: they would be lost.
// "-" among the inputs is standard input.
void expect_another_file(const std::string& flag, const std::string& output,
                         const std::vector<std::string>& inputs);

// What a command reads of a model directory. Nothing where the name is empty.
std::vector<std::string> files_of_model(const std::string& directory);

}  // namespace heed
