// Threads: a fixed team for parallel loops, and a pool that grows with the number of tasks.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace heed {

// How many threads this process may use (its CPU affinity), at least 1.
int available_threads();

// For error messages: how many threads run and how many were requested, including the calling
// thread if it works too.
struct ThreadCount {
  int running = 0, wanted = 0;
};

// Adds a thread that runs `body`. Error if the thread cannot be created; `threads` is unchanged
// then, and the caller must end and join its threads. `count` is for the message.
void start_thread(std::vector<std::thread>& threads, ThreadCount count, std::function<void()> body);

// A parallel loop, run(): tasks go one by one to the next idle thread, so that a slow core does
// fewer. Which thread runs which task must not change any result. For tasks that start at any time
// there is ThreadPool.
class Workers {
 public:
  // threads >= 1, the calling thread included.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const { return count_; }

  // Calls task(i, worker) for i in [0, tasks), worker in [0, count()), and waits for all. If one
  // throws, the remaining are skipped and the first exception is thrown here. Not reentrant.
  void run(int64_t tasks, const std::function<void(int64_t task, int worker)>& task);

 private:
  struct Team;
  int count_;
  std::unique_ptr<Team> team_;
};

// For tasks that start at any time and may run for long; Workers is for parallel
// loops. It has as many threads as the largest number of tasks that ran at the same time. Any
// number of threads may call start().
class ThreadPool {
 public:
  ThreadPool() = default;
  // Waits for all tasks.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs `task` on an idle thread or, without one, on a new thread. Error if the thread cannot be
  // created; `count` is for its message. The future becomes ready when the task ends, and holds its
  // exception.
  std::future<void> start(std::function<void()> task, ThreadCount count);

 private:
  void run_tasks();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::packaged_task<void()>> tasks_;  // not begun
  size_t idle_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace heed
