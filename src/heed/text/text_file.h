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
  // The same text, with this done to each line when it is read.
  TextFile converted(LineConversion conversion) const;
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
  LineConversion conversion_;  // may be empty
};

using TextFiles = std::vector<TextFile>;

// Whether a name is "-" or that of a pipe, a socket or a terminal.
bool is_stream(const std::filesystem::path& path);

// An input of a command: the flag of the option, and the name of the file, which may be empty.
using NamedInput = std::pair<std::string, std::string>;

// UsageError if two of them are the same stream, which can be read only once.
void expect_distinct_streams(const std::vector<NamedInput>& inputs);

// Tab-separated text with both sides in each line: the files and their columns.
struct TsvOptions {
  std::vector<std::string> tsv;
  std::vector<std::string> columns = {"1", "2"};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("tsv", self.tsv,
      {.help = "Tab-separated text with both sides in each line, plain or .gz, instead of two "
               "files; no quoting; several files are concatenated",
       .value = "FILE...",
       .ignored_in_comparison = true});
    v("columns", self.columns,
      {.help = "Columns of the source and the target in tab-separated text, counted from 1",
       .value = "N",
       .ignored_in_comparison = true});
  }

  // UsageError if --columns is not two different numbers of at least 1, or is given although there
  // is no tab-separated text, neither in --tsv nor in `other_tsv`.
  void check(const std::vector<std::string>& other_tsv = {}) const;
  // Both sides of tab-separated files, each of which is opened once; one entry per file.
  std::pair<TextFiles, TextFiles> open(const std::vector<std::string>& names,
                                       const CopyOptions& copying = {}) const;
};

// Both sides of a text: of the files of `tabular`, if it names some, otherwise of these, which go
// together one by one.
std::pair<TextFiles, TextFiles> open_sides(const std::vector<std::string>& source,
                                           const std::vector<std::string>& target,
                                           const TsvOptions& tabular,
                                           const CopyOptions& copying = {});

}  // namespace heed
