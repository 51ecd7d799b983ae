// The progress of a run: one line that is redrawn on a terminal, a line per report elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "heed/run/trainer.h"

namespace heed {

// "1:05" or "2:03:09".
std::string clock_text(double seconds);

// One line of at most `columns` columns:
// "[######--------] 42%  step 1200  loss 2.314  12.3k tokens/s  rate 7.0e-04  1:23, 1:55 left"
std::string progress_bar(const TrainReport& report, size_t columns);

// The same for a log: "step 1200, epoch 1.50: loss 2.314, 12345 tokens/s, rate 7.00e-04, ..."
std::string progress_text(const TrainReport& report);

enum class ProgressStyle { none, lines, bar };

class ProgressDisplay {
 public:
  // `none` if quiet; else a bar if standard error is a terminal.
  static ProgressStyle style(bool quiet);

  explicit ProgressDisplay(ProgressStyle style) : style_(style) {}
  ~ProgressDisplay() { clear(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // Always shown.
  void report(const TrainReport& report);
  // Shown if nothing was for a while: after the first 3 s of the run, then 0.2 s (a bar) or 20 s
  // (lines) after the last output.
  void progress(const TrainReport& report);
  // The same, but only for a bar: for reports that a message repeats.
  void redraw(const TrainReport& report) {
    if (style_ == ProgressStyle::bar) progress(report);
  }
  // A separate line above the bar; nothing if the style is none.
  void message(std::string_view text);
  // Removes the bar, before anything else is written to the terminal.
  void clear();

 private:
  ProgressStyle style_;
  double next_ = 3;  // TrainReport::seconds from which on progress() shows more
  std::string bar_;  // the text of the terminal's last line
};

}  // namespace heed
