// Translates the lines of many requests together, on a fixed number of threads.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "heed/serve/scheduling.h"

namespace heed {

// The sentences of decoding steps: how large the batches are.
struct BatchSizes {
  static constexpr std::array<int64_t, 10> kAtMost = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  std::array<int64_t, kAtMost.size() + 1> steps = {};  // of a size above the bound before
  int64_t sentences = 0;                               // of all steps

  int64_t all_steps() const;
  void add_step(int64_t size);
  void add(const BatchSizes& other);
};

// What happened, for metrics.
struct SchedulerStatus {
  int64_t waiting_lines = 0, waiting_bytes = 0;  // not begun
  int64_t running_lines = 0;                     // as of each thread's last step, tasks included
  BatchSizes batches;                            // of all threads' steps since the start
  int64_t source_tokens = 0, target_tokens = 0;  // translated since the start
  // Rows of the caches of keys and values of all batches: reserved for the hypotheses of lines that
  // are being translated, and all.
  int64_t reserved_rows = 0, cache_rows = 0;
  std::chrono::milliseconds estimated_wait{0};  // until all that waits now has begun
};

class Scheduler {
 public:
  explicit Scheduler(const SchedulerOptions& options);
  // Cancels what is unfinished.
  ~Scheduler();

  // Begins a request and returns its id. Lines join a batch as soon as there is room, at any
  // decoding step; clients take turns, and so do the requests of a client. Overloaded if there is
  // no room in the queue; UsageError if the options are out of range.
  uint64_t submit(TranslationRequest request, std::shared_ptr<TranslationObserver> observer);
  // Begins a task and returns its id. Its turns are between decoding steps; it is admitted once,
  // for all of them. Tasks that wait when the scheduler is destroyed get no more calls. Overloaded
  // as submit().
  uint64_t run(std::shared_ptr<ScheduledTask> task, const TaskRequest& request);
  // Set if even the smallest request of this client would be refused: in how long there may be
  // room. For refusing a request before anything is done for it.
  std::optional<std::chrono::seconds> retry_after(const std::string& client) const;
  // The request or task ends without finished() or failed(); it may get at most one more call that
  // has already begun. Unknown ids are ignored.
  void cancel(uint64_t id);

  SchedulerStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heed
