#include "files/outputs.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "files/text_files.h"
#include "heed/core/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// A descriptor for what must be written to directly; none for a file.
Descriptor open_stream(const fs::path& path) {
  // /dev/stderr, and a file that standard error appends to: never replaced.
  if (detail::is_name_of(path, STDERR_FILENO)) return Descriptor(::dup(STDERR_FILENO));
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::is_character_file(status) && !fs::is_fifo(status)) return Descriptor();
  Descriptor stream(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (stream.get() < 0) detail::fail_to_write(path, errno);
  return stream;
}

}  // namespace

void expect_directory_name(const fs::path& output) {
  if (output == "-")
    fail_usage(
        "--output -: standard output cannot hold a directory; expected a directory (./- is one "
        "named -)");
}

TextOutput::TextOutput(const fs::path& path, Console& console) {
  if (path.empty() || path == "-" || detail::is_name_of(path, STDOUT_FILENO)) {
    stream_ = &console.out();
  } else if (descriptor_ = open_stream(path); descriptor_.get() >= 0) {
    stream_ = &own_stream_.emplace(descriptor_.get(), path.string());
  } else {
    file_.emplace(path);
  }
  if (path.extension() == ".gz") gzip_.emplace([this](std::string_view b) { write_plain(b); });
}

void TextOutput::write_plain(std::string_view text) {
  if (stream_ != nullptr)
    stream_->write(text);
  else
    file_->write(text);
}

void TextOutput::write(std::string_view text) {
  if (gzip_)
    gzip_->write(text);
  else
    write_plain(text);
}

void TextOutput::flush() {
  if (stream_ != nullptr) stream_->flush();
}

void TextOutput::commit() {
  if (gzip_) gzip_->finish();
  flush();
  if (file_) file_->commit();
}

PageFile::PageFile(const std::string& path, const std::vector<std::string>& read, Console& console,
                   const std::string& output)
    : path_(path), console_(console) {
  if (path.empty()) return;
  if (path == "-" || detail::is_name_of(path, STDOUT_FILENO))
    fail_usage("--html {}: standard output has the result; expected a file for the page", path);
  expect_another_file("--html", path, read);
  // Neither need exist yet.
  const auto place = [](const std::string& name) {
    return fs::weakly_canonical(fs::absolute(name));
  };
  if (!output.empty() && place(path) == place(output))
    fail_usage("--html {} is also --output {}: expected two files", path, output);
  file_.emplace(path, console);
}

void PageFile::write(const std::function<std::string()>& html, std::string_view what) {
  if (!file_) return;
  file_->write(html());
  file_->commit();
  console_.note(fmt::format("{}: {}", what, path_));
}

}  // namespace heed
