// Text files that belong together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "console/console.h"
#include "heed/text/text_file.h"

namespace heed {

// Reads texts that must have as many lines as the first; another one is an Error with both counts.
// A longer text is not read to its end: it may be endless. Invalid UTF-8 is not changed, but warned
// of, with the first line and the number of lines; `strict` makes it an Error.
class EqualTexts {
 public:
  explicit EqualTexts(const Console& console, bool strict = false)
      : console_(console), strict_(strict) {}

  // All lines of a text; "-" is standard input.
  std::vector<std::string> read(const std::string& path);

 private:
  const Console& console_;
  const bool strict_;
  std::string first_;           // the path of the first text
  std::optional<size_t> size_;  // its lines
};

// For texts that may be streams: prints the progress of a long copy.
CopyOptions reported_copying(const Console& console);

// Error: one text has this many lines, and the other is longer.
[[noreturn]] void fail_unequal_lines(const std::string& shorter, size_t lines,
                                     const std::string& longer);

// UsageError if the file that `flag` writes is also read, since it would be overwritten. "-" among
// the inputs is standard input.
void expect_another_file(const std::string& flag, const std::string& output,
                         const std::vector<std::string>& inputs);

// The files that a command reads: those of a model directory, unless its name is empty, and its
// texts. UsageError if two of these are the same stream.
std::vector<std::string> files_read(const std::string& model,
                                    const std::vector<NamedInput>& texts = {});

}  // namespace heed
