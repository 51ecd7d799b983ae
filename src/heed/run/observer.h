// Callbacks of a training run.
#pragma once

#include <string>

#include "heed/train/reports.h"

namespace heed {

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
