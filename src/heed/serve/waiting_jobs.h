// The requests and tasks of a scheduler that wait for a thread, with their bounds and deadlines.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heed/serve/fair_queue.h"
#include "heed/serve/scheduling.h"

namespace heed::detail {

using TimePoint = std::chrono::steady_clock::time_point;

// Amounts of work.
struct Work {
  int64_t jobs = 0, lines = 0, tasks = 0;
  int64_t bytes = 0;  // of text
  int64_t cost = 0;   // in tokens of greedy search, about

  void add(const Work& other, int64_t times = 1);
};

// A request, or a task: then `task` is set and it has no model, lines or observer. A task waits for
// one turn at a time.
struct Job {
  Job(uint64_t id, TranslationRequest asked, std::shared_ptr<TranslationObserver> observer);
  Job(uint64_t id, std::shared_ptr<ScheduledTask> task, const TaskRequest& asked);

  // The work of a line's turn.
  Work of_line(size_t index) const;

  const uint64_t id;
  TranslationRequest request;
  std::shared_ptr<TranslationObserver> observer;
  const std::shared_ptr<ScheduledTask> task;

  // Guarded by the scheduler's mutex:
  size_t next = 0;  // first line that waits
  Work waiting;

  // No further calls of the observer or the task.
  std::atomic<bool> ended{false};
  // Held during calls of the observer. It may call the scheduler: locked before the scheduler's
  // mutex.
  std::mutex calling;
  size_t missing = 0;  // lines not given to the observer; guarded by `calling`
};

// The rate at which waiting work begins. Measured only while work waits: the speed of a server that
// has little to do says nothing of its capacity. Older measurements count less.
class Throughput {
 public:
  // Called when the state changes: whether work waits from now on.
  void update(TimePoint now, bool waits);
  // Waiting work of this cost begins.
  void begin(int64_t cost) { period_.cost += double(cost); }

  // Cost per second; none before there is a measurement.
  std::optional<double> per_second() const;

 private:
  // In seconds. Work that waits for a moment only, because a thread is about to take it, is not
  // counted.
  static constexpr double kMinPeriod = 0.25, kMinMeasured = 1, kHalfLife = 10;

  struct Measurement {
    double cost = 0, seconds = 0;
  };
  Measurement total_, period_;
  bool waits_ = false, waited_long_ = false;
  TimePoint updated_{};
};

// Guarded by the scheduler's mutex.
class WaitingJobs {
 public:
  explicit WaitingJobs(const SchedulerOptions& options) : options_(options) {}

  bool empty() const { return queue_.empty(); }
  int64_t turns() const { return total_.lines + total_.tasks; }
  int64_t lines() const { return total_.lines; }
  int64_t bytes() const { return total_.bytes; }

  // Overloaded if there is no room.
  void add(const std::shared_ptr<Job>& job, TimePoint now);
  // The next turn of a task that was added before and waits no more: there is always room.
  void add_next_turn(const std::shared_ptr<Job>& job, int64_t cost, TimePoint now);
  // The time until there may be room for a job of this client, with this much text, of this cost;
  // nothing if there is room now.
  std::optional<std::chrono::seconds> retry_after(const std::string& client, int64_t bytes,
                                                  int64_t cost) const;
  // Without effect on a job that does not wait.
  void remove(uint64_t id, TimePoint now);
  // Removes the jobs whose deadline has passed.
  std::vector<std::shared_ptr<Job>> remove_expired(TimePoint now);
  // The earliest deadline of the jobs that wait.
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

  // The time until all waiting work has begun; zero before there is a measurement.
  std::chrono::milliseconds estimated_wait() const;

 private:
  void insert(const std::shared_ptr<Job>& job);
  Turn take_turn(uint64_t id, TimePoint now);
  void erase(const Job& job);
  void count(const Job& job, const Work& work, int64_t times);
  Work of_client(const std::string& client) const;
  double seconds_before(const std::string& client, int64_t cost) const;

  const SchedulerOptions options_;
  FairQueue queue_;
  std::unordered_map<uint64_t, std::shared_ptr<Job>> jobs_;
  std::set<std::pair<TimePoint, uint64_t>> deadlines_;
  std::map<std::string, Work> clients_;
  Work total_;
  Throughput throughput_;
};

}  // namespace heed::detail
