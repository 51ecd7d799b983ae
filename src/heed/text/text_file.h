// A text that can be read any number of times, even from a pipe.
#pragma once

#include <chrono>
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

// Options of copying streams.
struct CopyOptions {
  // Maximum number of lines to read from a stream, for callers that need only the beginning;
  // 0: all.
  int64_t max_lines = 0;
  // Called with the progress of a copy that takes longer than `quiet`, then every 20 seconds.
  std::function<void(const std::string&)> message = {};
  std::chrono::milliseconds quiet{3000};
  // The free bytes of a directory; if not set, as the file system reports them.
  std::function<int64_t(const std::filesystem::path&)> free_bytes = {};
};

// A text file, or one column of a file of tab-separated values. Input that can be read only once (a
// pipe, as in `<(zcat a b)`, a socket, a terminal, "-" for standard input) is copied by the
// constructor, to a temporary file without a name in the directory TMPDIR (/tmp), compressed as it
// was: memory is bounded. The copy fails with an Error if it would use more than nine tenths of the
// free space of that directory. Standard input that is a regular file is read in place. Copies of a
// TextFile share the file.
//
// In tab-separated text a tab always ends a column: there is no quoting.
class TextFile {
 public:
  // Error: the copy cannot be made. Other errors of the file are reported by its readers.
  // NOLINTNEXTLINE(google-explicit-constructor): a file is a path
  TextFile(std::filesystem::path path, const CopyOptions& copying = {});

  // The same text, of which only this column is read, counted from 1.
  TextFile column(int64_t number) const;
  // A reader that begins at the first line.
  LineReader lines() const;

  // The file's name for messages: "standard input" for "-".
  const std::string& name() const { return name_; }
  // The column that is read; 0: whole lines.
  int64_t column() const { return column_; }
  // The name, with the column if there is one.
  std::string title() const;

 private:
  std::filesystem::path path_;
  std::string name_;
  std::shared_ptr<const Descriptor>
      descriptor_;  // of the copy; null if the file is opened by its name
  int64_t begin_ = 0;
  int64_t column_ = 0;
};

using TextFiles = std::vector<TextFile>;

// Whether a name is "-" or that of a pipe, a socket or a terminal.
bool is_stream(const std::filesystem::path& path);

// An input of a command: the flag of the option, and the name of the file, which may be empty.
using NamedInput = std::pair<std::string, std::string>;

// UsageError if two of them are the same stream, which can be read only once.
void expect_distinct_streams(const std::vector<NamedInput>& inputs);

}  // namespace heed
