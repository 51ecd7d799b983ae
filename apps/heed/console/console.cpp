#include "console/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "heed/core/error.h"
#include "heed/core/utf8.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

constexpr size_t buffer_size = 1 << 16;

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

void Console::note(std::string_view text) const {
  if (!quiet_) std::fprintf(stderr, "%s\n", one_line(text).c_str());
}

void Console::warn(std::string_view text) const {
  std::fprintf(stderr, "heed: warning: %s\n", message_line(text).c_str());
}

void LineWarnings::add(std::initializer_list<std::pair<const char*, bool>> warnings) {
  counts_.resize(warnings.size());
  auto counted = counts_.begin();
  for (const auto& [warning, applies] : warnings) {
    counted->first = warning;
    counted++->second += applies;
  }
}

void LineWarnings::print(const Console& console, std::string_view all) const {
  for (const auto& [warning, count] : counts_)
    if (count > 0) console.warn(fmt::format("{} of {}: {}", count, all, warning));
}

int64_t terminal_columns(int descriptor) {
  winsize size = {};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string message_line(std::string_view text) {
  constexpr size_t kLongestName = 255;
  const std::string line = one_line(text);
  std::string shown;
  for (std::string_view rest = line; !rest.empty();) {
    const size_t end = std::min(rest.find_first_of(" /"), rest.size());
    const std::string_view word = rest.substr(0, end);
    shown += decode_utf8(word).size() > kLongestName ? excerpt(word) : std::string(word);
    shown += rest.substr(end, 1);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return shown;
}

}  // namespace heed
