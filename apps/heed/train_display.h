// What a training run tells its user, and hears from them.
#pragma once

#include <optional>
#include <string>

#include "console.h"
#include "heed/train/trainer.h"
#include "progress.h"
#include "stop_signals.h"

namespace heed {

class TrainDisplay : public TrainObserver {
 public:
  // All must outlive it.
  TrainDisplay(const TrainOptions& options, const Console& console);

  void message(const std::string& text) override;
  void report(const TrainReport& report) override;
  void validated(const ValidationReport& report) override;
  // From the first report or question on, SIGINT and SIGTERM are noted instead of ending the
  // program: before, there is nothing to save.
  bool stop_requested() override;

  // Ends the display: removes the bar, and says why the run ended before its time, if it did.
  // Returns the program's status: 0, or 128 + the signal.
  int close(const TrainResult& result);

 private:
  void listen();

  const TrainOptions& options_;
  ProgressDisplay progress_;
  std::optional<StopSignals> signals_;
};

// "loss 2.1034, perplexity 8.19, BLEU 31.2 (best so far)".
std::string validation_text(const ValidationReport& report);

}  // namespace heed
