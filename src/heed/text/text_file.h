// A text that can be read any number of times, whatever it comes from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/core/descriptor.h"
#include "heed/text/lines.h"

namespace heed {

// How far the copy of a stream is.
struct StreamCopy {
  std::string name;
  std::filesystem::path folder;  // where it is copied to
  int64_t bytes = 0;
  double seconds = 0;
};

// How streams are copied.
struct CopyOptions {
  // For callers with a use for the first lines: of a stream, which may be endless, no others are
  // read. 0: all lines.
  int64_t most_lines = 0;
  // Called while a copy goes on, a few times a second at most.
  std::function<void(const StreamCopy&)> progress = {};
  // The bytes that are free in a folder; what the file system says where it is empty.
  std::function<int64_t(const std::filesystem::path&)> free_bytes = {};
};

// A text file, or one column of a file of tab-separated values. What can be read only once (a pipe,
// as in `<(zcat a b)`, a socket, a terminal, "-" for standard input) is copied when the TextFile is
// made, to a temporary file without a name in the folder of TMPDIR (/tmp), compressed if it was:
// memory stays bounded. A copy stops, with an Error, where it would leave less than a tenth of the
// space that the folder had. Standard input that is a regular file is read in place. Copies share
// all this.
//
// In tab-separated text a tab always ends a column: there is no quoting.
class TextFile {
 public:
  // Error: the copy cannot be made. What else is wrong with a file is told by its readers.
  TextFile(std::filesystem::path path);  // NOLINT(google-explicit-constructor): a file is a path
  TextFile(std::filesystem::path path, const CopyOptions& copying);

  // The same text, of which only this column is read, counted from 1.
  TextFile column(int64_t number) const;
  // A reader from the first line on.
  LineReader lines() const;

  // The file's name for messages: "standard input" for "-".
  const std::string& name() const { return name_; }
  // The name with the column, where there is one.
  std::string title() const;

 private:
  std::filesystem::path path_;
  std::string name_;
  std::shared_ptr<const Descriptor>
      descriptor_;  // of the copy; null where the file is opened by its name
  int64_t begin_ = 0;
  int64_t column_ = 0;
};

using TextFiles = std::vector<TextFile>;

// Whether a name is "-" or that of a pipe, a socket or a terminal.
bool is_stream(const std::filesystem::path& path);

// What a command reads: the option's flag, and the file that it names, which may be empty.
using NamedInput = std::pair<std::string, std::string>;

// UsageError where two of them are the same stream: the second reader would find nothing.
void expect_distinct_streams(const std::vector<NamedInput>& inputs);

}  // namespace heed
