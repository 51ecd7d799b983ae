// A pool of threads that grows with the number of tasks.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "heed/core/parallel.h"

namespace heed {

// For tasks that start at any time and may run for long; Workers (core/parallel.h) is for parallel
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
