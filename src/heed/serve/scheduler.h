// Translates, continues and parses the lines of many requests together, on a fixed number of
// threads.
#pragma once

#include <prometheus/histogram.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "heed/serve/scheduler_thread.h"

namespace heed {

// The state of a scheduler, for metrics.
struct SchedulerStatus {
  int64_t waiting_lines = 0, waiting_bytes = 0;  // not begun
  int64_t running_lines = 0;                     // as of each thread's last step, tasks included
  // Since the start: sentences that were decoded together, of each step; tokens of complete lines.
  prometheus::ClientMetric step_sentences = {};
  int64_t source_tokens = 0, target_tokens = 0;
  // Rows of the caches of keys and values of all batches: reserved for the hypotheses of lines that
  // are being translated, and all.
  int64_t reserved_rows = 0, cache_rows = 0;
  std::chrono::milliseconds estimated_wait{0};  // until all that waits now has begun
};

// The part of it that threads change at any time.
struct DecodingCounts {
  prometheus::Histogram step_sentences{{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}};
  std::atomic<int64_t> source_tokens{0}, target_tokens{0};
};

class Scheduler {
 public:
  explicit Scheduler(const SchedulerOptions& options);
  // Cancels unfinished requests.
  ~Scheduler();

  // Begins a request, which has lines, and returns its id. Lines join a batch as soon as there is
  // room, at any decoding step; clients take turns, and so do the requests of a client. Overloaded
  // if there is no room in the queue; UsageError if the options are out of range.
  uint64_t submit(TranslationRequest request, std::shared_ptr<TranslationObserver> observer);
  // Begins a task and returns its id. Its turns are between decoding steps; it is admitted once,
  // for all of them. Tasks that wait when the scheduler is destroyed get no more calls. Overloaded
  // as submit().
  uint64_t run(std::shared_ptr<ScheduledTask> task, const TaskRequest& request);
  // The time until there may be room, if even the smallest request of this client would be refused
  // now. For refusing a request before anything is done for it.
  std::optional<std::chrono::seconds> retry_after(const std::string& client) const;
  // The request or task ends without finished() or failed(); it may get at most one more call that
  // has already begun. Unknown ids are ignored.
  void cancel(uint64_t id);

  SchedulerStatus status() const;

 private:
  uint64_t add(const std::shared_ptr<detail::Job>& job);
  void stop();

  // On a thread.
  void work(detail::SchedulerThread& self);
  bool take(detail::SchedulerThread& self);
  void take_turns(detail::SchedulerThread& self, detail::TimePoint now);
  void wait(detail::SchedulerThread& self, std::unique_lock<std::mutex>& lock);
  int64_t share(detail::TimePoint now) const;
  void report(detail::SchedulerThread& self);
  void begin(detail::SchedulerThread& self, const detail::WaitingJobs::Turn& turn);
  void run_turn(const std::shared_ptr<detail::Job>& job);
  detail::ModelBatch& batch_of(detail::SchedulerThread& self,
                               const std::shared_ptr<const ServedModel>& model);
  void step(detail::ModelBatch& batch);
  void drop_ended(detail::ModelBatch& batch);

  // Calls of observers.
  void deliver(detail::Job& job, Translation translation);
  void show_progress(const detail::RunningLine& line, const detail::ModelBatch& batch, int64_t id);
  void end(detail::Job& job, const std::exception_ptr& error);
  void fail_all(const detail::ModelBatch& batch, const std::exception_ptr& error);
  template <class Call>
  void notify(detail::Job& job, Call&& call);

  const SchedulerOptions options_;
  std::atomic<uint64_t> next_id_{1};
  DecodingCounts counts_;
  mutable std::mutex mutex_;  // guards the following, except for the threads' own fields
  std::condition_variable wake_;
  bool stop_ = false;
  std::unordered_map<uint64_t, std::shared_ptr<detail::Job>> jobs_;  // unfinished requests, by id
  detail::WaitingJobs waiting_;
  std::map<const ServedModel*, std::weak_ptr<detail::HeldModel>> models_;
  std::deque<detail::SchedulerThread> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace heed
