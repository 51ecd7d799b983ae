// The display of a training run, and its response to signals.
#pragma once

#include <optional>
#include <string>

#include "console/console.h"
#include "console/progress.h"
#include "console/stop_signals.h"
#include "heed/run/trainer.h"

namespace heed {

class TrainDisplay : public TrainObserver {
 public:
  // Both must outlive it. `after_stop` says what the user can do with a run that was stopped.
  TrainDisplay(const TrainOptions& options, const Console& console,
               std::string after_stop = "the same command with --resume continues");

  void message(const std::string& text) override;
  void warning(const std::string& text) override;
  void report(const TrainReport& report) override;
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
  std::string summary_of(const TrainResult& result) const;

  const TrainOptions& options_;
  const Console& console_;
  std::string after_stop_;
  ProgressDisplay progress_;
  StopSignals signals_;
  bool begun_ = false;  // the first step is done
  std::optional<TrainReport> last_report_;
  std::optional<ValidationReport> last_, best_;  // of this process; best_ is of no average
};

// "validation loss 2.1034, perplexity 8.19, BLEU 31.20 (13a), chrF 55.10".
std::string validation_text(const ValidationReport& report);

}  // namespace heed
