#include "console.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "heed/core/error.h"

namespace heed {
namespace {

constexpr size_t buffer_size = 1 << 16;

int create(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail("cannot write '{}': {}", path, std::strerror(errno));
  return descriptor;
}

}  // namespace

void Output::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= buffer_size) flush();
}

void Output::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(size_t(written));
    } else if (errno != EINTR) {
      const int reason = errno;
      buffer_.clear();
      if (reason == EPIPE) throw BrokenPipe();
      fail("cannot write to {}: {}", name_, std::strerror(reason));
    }
  }
  buffer_.clear();
}

OutputFile::OutputFile(const std::string& path)
    : path_(path),
      partial_(path + ".partial"),
      descriptor_(create(partial_)),
      output_(descriptor_, "'" + path + "'") {}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(partial_.c_str());
}

void OutputFile::commit() {
  output_.flush();
  if (fsync(descriptor_) != 0) fail("cannot write '{}': {}", path_, std::strerror(errno));
  if (rename(partial_.c_str(), path_.c_str()) != 0) {
    fail("cannot name '{}': {}", path_, std::strerror(errno));
  }
  close(descriptor_);
  descriptor_ = -1;
}

void Console::note(std::string_view text) const {
  if (!quiet_) std::fprintf(stderr, "%s\n", one_line(text).c_str());
}

void Console::warn(std::string_view text) const {
  std::fprintf(stderr, "heed: warning: %s\n", one_line(text).c_str());
}

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (uint8_t(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return line;
}

}  // namespace heed
