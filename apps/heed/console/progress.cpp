#include "console/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "console/console.h"

namespace heed {
namespace {

constexpr const char* clear_line = "\r\x1b[K";

std::string times(const TrainReport& report) {
  const std::string elapsed = clock_text(report.seconds);
  return report.fraction_done > 0
             ? fmt::format("{}, {} left", elapsed, clock_text(report.seconds_left))
             : elapsed;
}

std::string short_count(double count) {
  if (count >= 1e6) return fmt::format("{:.1f}M", count / 1e6);
  return count >= 1e4 ? fmt::format("{:.1f}k", count / 1e3) : fmt::format("{:.0f}", count);
}

size_t terminal_columns() {
  winsize size = {};
  return ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string clock_text(double seconds) {
  const auto total = int64_t(std::lround(std::max(0.0, seconds)));
  const int64_t hours = total / 3600, minutes = total / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60)
                   : fmt::format("{}:{:02}", minutes, total % 60);
}

std::string progress_bar(const TrainReport& report, size_t columns) {
  const std::string facts =
      fmt::format(" {:3.0f}%  step {}  loss {:.3f}  {} tokens/s  rate {:.1e}  {}",
                  std::floor(100 * report.fraction_done), report.step, report.loss,
                  short_count(report.tokens_per_second), report.learning_rate, times(report));
  if (facts.size() + 8 > columns) return facts.substr(0, columns);
  const size_t width = std::min<size_t>(columns - facts.size() - 2, 40);
  const size_t full = std::min(width, size_t(report.fraction_done * double(width)));
  return fmt::format("[{:-<{}}]{}", std::string(full, '#'), width, facts);
}

std::string progress_text(const TrainReport& report) {
  return fmt::format(
      "step {}, epoch {:.2f}: loss {:.4f}, {:.0f} tokens/s, learning rate {:.3e}, {}", report.step,
      report.epoch, report.loss, report.tokens_per_second, report.learning_rate, times(report));
}

ProgressStyle ProgressDisplay::style(bool quiet) {
  if (quiet) return ProgressStyle::none;
  return isatty(2) ? ProgressStyle::bar : ProgressStyle::lines;
}

void ProgressDisplay::progress(const TrainReport& report) {
  if (report.seconds >= next_) this->report(report);
}

void ProgressDisplay::report(const TrainReport& report) {
  next_ = report.seconds + (style_ == ProgressStyle::bar ? 0.2 : 20);
  if (style_ == ProgressStyle::lines) message(progress_text(report));
  if (style_ != ProgressStyle::bar) return;
  bar_ = progress_bar(report, terminal_columns() - 1);
  std::fprintf(stderr, "%s%s", clear_line, bar_.c_str());
}

void ProgressDisplay::message(std::string_view text) {
  if (style_ == ProgressStyle::none) return;
  const char* clear = bar_.empty() ? "" : clear_line;
  std::fprintf(stderr, "%s%s\n%s", clear, one_line(text).c_str(), bar_.c_str());
}

void ProgressDisplay::clear() {
  if (!bar_.empty()) std::fputs(clear_line, stderr);
  bar_.clear();
}

}  // namespace heed
