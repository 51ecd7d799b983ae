// The display of a training run: its progress as one line that is redrawn on a terminal, a line per
// report elsewhere; and its response to signals.
#pragma once

#include <optional>
#include <string>

#include "console/console.h"
#include "console/signals.h"
#include "heed/run/run_files.h"
#include "heed/run/trainer.h"

namespace heed {

// One line of at most `columns` columns:
// "[######--------] 42%  step 1200  loss 2.314  12.3k tokens/s  rate 7.0e-04  1:23, 1:55 left"
std::string progress_bar(const TrainReport& report, size_t columns);

// The same for a log: "step 1200, epoch 1.50: loss 2.314, 12345 tokens/s, rate 7.00e-04, ..."
std::string progress_text(const TrainReport& report);

class TrainDisplay : public TrainObserver {
 public:
  // Both must outlive it. `after_stop` says what the user can do with a run that was stopped.
  TrainDisplay(const TrainOptions& options, const Console& console,
               std::string after_stop = "the same command with --resume continues");
  ~TrainDisplay() override { clear(); }
  TrainDisplay(const TrainDisplay&) = delete;
  TrainDisplay& operator=(const TrainDisplay&) = delete;

  void message(const std::string& text) override;
  void warning(const std::string& text) override;
  void report(const TrainReport& report) override;
  // Shown if nothing was for a while: after the first 3 s of the run, then 0.2 s (a bar) or 20 s
  // (lines) after the last output.
  void progress(const TrainReport& report) override;
  void validated(const ValidationReport& report) override;
  // During its lifetime, SIGINT, SIGTERM and SIGHUP end the program immediately as long as the run
  // has written nothing (before_first_write). After that the first one is recorded: before the
  // first step, message() and preparing() then throw StoppedBySignal; later, train() saves and
  // stops.
  bool stop_requested() override;
  void before_first_write() override { signals_.finish_steps(); }
  void preparing() override;

  // Ends the display: removes the bar, prints why the run ended early, if it did, and the
  // validation of the written model. Returns the program's status: 0, or 128 + the signal.
  int close(const TrainResult& result);

 private:
  void show(const TrainReport& report);
  // A separate line above the bar, unless the console is quiet.
  void say(const std::string& text);
  // Removes the bar, before anything else is written to the terminal.
  void clear();
  std::string summary_of(const TrainResult& result) const;
  // Names the files of --keep-best.
  void tell_best(const std::vector<FollowedScore>& followed);

  const TrainOptions& options_;
  const Console& console_;
  std::string after_stop_;
  bool has_bar_;     // standard error is a terminal
  double next_ = 3;  // TrainReport::seconds from which on progress() shows more
  std::string bar_;  // the text of the terminal's last line
  StopSignals signals_;
  bool begun_ = false;  // the first step is done
  std::optional<TrainReport> last_report_;
  // Reports of this process; best_ is of no average.
  std::optional<ValidationReport> last_, best_, last_scored_;
  bool lack_of_scores_is_told_ = false;
};

}  // namespace heed
