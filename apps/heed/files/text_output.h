// The text that a command writes with --output.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "console/console.h"
#include "heed/core/descriptor.h"
#include "heed/core/files.h"
#include "heed/text/gzip.h"

namespace heed {

// Standard output, or a file that is written atomically. A device or a pipe (/dev/null, a FIFO),
// which cannot be replaced, is written directly; so is /dev/stdout, whatever it is redirected to. A
// file whose name ends in .gz is gzip, as heed expects when it reads such a file.
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

}  // namespace heed
