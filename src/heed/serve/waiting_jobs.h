// The requests and tasks of a scheduler that wait for a thread, with their bounds and deadlines.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "heed/serve/fair_queue.h"
#include "heed/serve/scheduling.h"
#include "heed/serve/throughput.h"

namespace heed::detail {

using TimePoint = std::chrono::steady_clock::time_point;

// A request, or a task: then `task` is set and it has no model, lines or observer. A task waits for
// one turn at a time.
struct Job {
  Job(uint64_t id, TranslationRequest asked, std::shared_ptr<TranslationObserver> observer);
  Job(uint64_t id, std::shared_ptr<ScheduledTask> task, const TaskRequest& asked);

  // Lines, or 1 for a task.
  size_t turns() const { return task ? 1 : request.lines.size(); }
  int64_t bytes(size_t turn) const;  // of text
  // Of a turn, in about as many tokens of greedy search.
  int64_t cost(size_t turn) const;

  const uint64_t id;
  TranslationRequest request;
  std::shared_ptr<TranslationObserver> observer;
  const std::shared_ptr<ScheduledTask> task;

  // Guarded by the scheduler's mutex:
  int64_t task_cost = 0;  // of its next turn
  size_t next = 0;        // first turn that waits
  int64_t waiting_bytes = 0, waiting_cost = 0;

  // No further calls of the observer or the task.
  std::atomic<bool> ended{false};
  // Held during calls of the observer. It may call the scheduler: locked before the scheduler's
  // mutex.
  std::mutex calling;
  size_t missing = 0;  // lines not given to the observer; guarded by `calling`
};

// Guarded by the scheduler's mutex.
class WaitingJobs {
 public:
  explicit WaitingJobs(const SchedulerOptions& options) : options_(options) {}

  bool empty() const { return queue_.empty(); }
  int64_t turns() const { return turns_; }
  int64_t lines() const { return turns_ - tasks_; }
  int64_t bytes() const { return total_.bytes; }

  // Overloaded if there is no room. A job without turns must not be added.
  void add(std::shared_ptr<Job> job, TimePoint now);
  // The next turn of a task that was added before and waits no more: there is always room.
  void add_next_turn(std::shared_ptr<Job> job, int64_t cost, TimePoint now);
  // In how long there may be room for a job of this client, with this much text, of this cost;
  // nothing if there is room now.
  std::optional<std::chrono::seconds> retry_after(const std::string& client, int64_t bytes,
                                                  int64_t cost) const;
  // Without effect on a job that does not wait.
  void remove(uint64_t id, TimePoint now);
  // Removes the jobs whose deadline has passed.
  std::vector<std::shared_ptr<Job>> remove_expired(TimePoint now);
  // Of the jobs that wait.
  std::optional<TimePoint> next_deadline() const;

  struct Turn {
    std::shared_ptr<Job> job;
    size_t index = 0;  // of the line
    TranslationInput input = {std::string()};
  };
  // Takes the next turn of a job for which accepts(const Job&) holds.
  template <class F>
  std::optional<Turn> take(TimePoint now, F&& accepts) {
    const std::optional<uint64_t> id =
        queue_.next([&](uint64_t candidate) { return accepts(*jobs_.at(candidate)); });
    if (!id) return {};
    return take_turn(*id, now);
  }

  // Until all that waits has begun; zero before there is a measurement.
  std::chrono::milliseconds estimated_wait() const;

 private:
  struct Totals {
    int64_t jobs = 0, bytes = 0, cost = 0;
  };

  void insert(std::shared_ptr<Job> job);
  Turn take_turn(uint64_t id, TimePoint now);
  void erase(const Job& job);
  void subtract(const Job& job, int64_t bytes, int64_t cost);
  double seconds_before(const std::string& client, int64_t cost) const;

  const SchedulerOptions options_;
  FairQueue queue_;
  std::unordered_map<uint64_t, std::shared_ptr<Job>> jobs_;
  std::multimap<TimePoint, uint64_t> deadlines_;
  std::map<std::string, Totals> clients_;
  Totals total_;
  int64_t turns_ = 0, tasks_ = 0;
  Throughput throughput_;
};

}  // namespace heed::detail
