// Files and directories that a command writes.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console/console.h"
#include "heed/core/descriptor.h"
#include "heed/core/files.h"
#include "heed/text/gzip.h"

namespace heed {

// The treatment of existing files in the directory: --overwrite replaces them.
enum class Existing { refuse, replace };

// UsageError for an --output of "-", which is not a directory.
void expect_directory_name(const std::filesystem::path& output);

// The text of --output: standard output, or a file that is written atomically. A device or a pipe
// (/dev/null, a FIFO), which cannot be replaced, is written directly; so is /dev/stdout, whatever
// it is redirected to. A file whose name ends in .gz is gzip, as heed expects when it reads such a
// file.
class TextOutput {
 public:
  // An empty path and "-" are standard output.
  TextOutput(const std::filesystem::path& path, Console& console);
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;

  void write(std::string_view text);
  // Passes on what was written, unless it is a file that appears on commit().
  void flush();
  // Call after the last text. Without it an existing file is unchanged.
  void commit();

 private:
  void write_plain(std::string_view text);

  Output* stream_ = nullptr;  // standard output or own_stream_; null: file_
  Descriptor descriptor_;
  std::optional<Output> own_stream_;
  std::optional<AtomicFile> file_;
  std::optional<GzipWriter> gzip_;
};

// The file of a page, that of --html. It is opened before the command's work, so that a path that
// cannot be written fails at once; a file that was there stays until write().
class PageFile {
 public:
  // `path` is the value of --html, which may be empty: no page is wanted. UsageError for standard
  // output, which has the command's result, for a file that the command also reads, and for
  // `output`, that of --output. Error if the file cannot be created.
  PageFile(const std::string& path, const std::vector<std::string>& read, Console& console,
           const std::string& output = "");

  bool wanted() const { return file_.has_value(); }
  // Writes the page, if it is wanted, and says so: "page of the runs: FILE".
  void write(const std::function<std::string()>& html, std::string_view what);

 private:
  const std::string path_;
  Console& console_;
  std::optional<TextOutput> file_;
};

}  // namespace heed
