// Text files that belong together.
#pragma once

#include <string>
#include <vector>

#include "console/console.h"
#include "heed/text/text_file.h"

namespace heed {

// All lines of a text ("-" is standard input). Invalid UTF-8 is not changed, but warned of, with
// the first line and the number of lines; `strict` makes it an Error.
struct LineRules {
  bool strict = false;
};
std::vector<std::string> read_text(const std::string& path, LineRules rules,
                                   const Console& console);
// The same for a text that must have as many lines as an earlier one, or it is an Error with both
// counts. A longer text is not read to its end: it may be endless.
struct TextLength {
  const std::string& path;
  size_t lines;
};
std::vector<std::string> read_text(const std::string& path, const TextLength& other,
                                   LineRules rules, const Console& console);

// For texts that may be streams: prints the progress of a long copy.
CopyOptions told_copying(const Console& console);

// Error: the other text is longer.
[[noreturn]] void fail_unequal_lines(const TextLength& shorter, const std::string& longer_path);

// UsageError if the file that `flag` writes is also read, since it would be overwritten. "-" among
// the inputs is standard input.
void expect_another_file(const std::string& flag, const std::string& output,
                         const std::vector<std::string>& inputs);

// The files that a command reads of a model directory; none if the name is empty.
std::vector<std::string> files_of_model(const std::string& directory);

}  // namespace heed
