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

// Standard output, or a file that appears when it is complete. A device or a pipe (/dev/null, a
// FIFO), which nothing can take the place of, is written to directly; so is /dev/stdout, whatever
// it is redirected to. A name that ends in .gz gives gzip, which is what heed expects of such a
// name when it reads.
class TextOutput {
 public:
  // An empty path and "-" are standard output.
  TextOutput(const std::filesystem::path& path, Console& console);
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;

  void write(std::string_view text);
  // Hands on what was written, where somebody may be waiting for it.
  void flush();
  // After the last text. Without it a file is left as it was.
  void commit();

 private:
  void write_plain(std::string_view text);

  Output* stream_ = nullptr;  // standard output or own_stream_; none: file_
  Descriptor descriptor_;
  std::optional<Output> own_stream_;
  std::optional<AtomicFile> file_;
  std::optional<GzipWriter> gzip_;
};

}  // namespace heed
