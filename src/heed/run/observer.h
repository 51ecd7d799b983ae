// Callbacks of a training run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/tasks/translation_measures.h"

namespace heed {

// Progress and metrics of a run, after a step.
struct TrainReport {
  int64_t step = 0;
  double epoch = 0;  // 1.5: in the middle of the second
  double loss = 0;   // with label smoothing, per target token; mean since the last report()
  double nll = 0;    // -log p(token) without label smoothing; mean since the last report()
  double learning_rate = 0;
  double gradient_norm = 0;      // of the last step, before clipping
  double tokens_per_second = 0;  // (source + target tokens) / 2, </s> included, per second
  double seconds = 0;            // of the run, its preparation and earlier processes included
  double fraction_done = 0;      // of the run, 0 to 1
  double seconds_left = 0;       // estimated
  int64_t memory = 0;            // bytes in memory (resident), of the whole process
};

struct ValidationReport {
  int64_t step = 0;
  double epoch = 0;
  // Number of checkpoints whose average was validated; 0: the weights of this step were.
  int64_t averaged_checkpoints = 0;
  std::optional<double> train_loss;  // with label smoothing, of the epoch that just ended
  std::optional<double> loss;        // with label smoothing, as in training, but without dropout
  std::optional<double> perplexity;  // exp(nll) per target token
  std::optional<TranslationScores> translations;  // if validation_metric is bleu or chrf
  bool best = false;                              // better than every earlier validation
  double seconds = 0;
};

// Callbacks of a run, called from the thread that trains.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void message(const std::string&) {}
  // Likely mistakes, as in the text or the options.
  virtual void warning(const std::string& text) { message(text); }
  // Every --report-every steps, and when an epoch or the run ends: the reports of metrics.jsonl.
  virtual void report(const TrainReport&) {}
  // After each step without a report(), for a progress display.
  virtual void progress(const TrainReport&) {}
  virtual void validated(const ValidationReport&) {}
  // Once, before the run first changes a file in its directory. Until then it is safe to end the
  // process at any time, which is the only way to interrupt the learning of a vocabulary: only
  // empty directories remain, which remove_temporary_files() removes.
  virtual void before_first_write() {}
  // Repeatedly while the run is prepared, before the first step. May throw, to end the run: the
  // directory is then left unchanged.
  virtual void preparing() {}
  // train() asks after each step; if true, it saves and ends the run.
  virtual bool stop_requested() { return false; }
};

}  // namespace heed
