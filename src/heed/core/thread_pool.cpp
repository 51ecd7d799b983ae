#include "heed/core/thread_pool.h"

namespace heed {

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::future<void> ThreadPool::start(std::function<void()> task, ThreadCount count) {
  std::lock_guard lock(mutex_);
  std::future<void> end = tasks_.emplace_back(std::move(task)).get_future();
  if (tasks_.size() <= idle_) {
    wake_.notify_one();
    return end;
  }
  try {
    start_thread(threads_, count, [this] { run_tasks(); });
  } catch (...) {
    tasks_.pop_back();
    throw;
  }
  return end;
}

void ThreadPool::run_tasks() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(lock, [&] { return stop_ || !tasks_.empty(); });
    --idle_;
    if (tasks_.empty()) return;
    {
      std::packaged_task<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
    lock.lock();
  }
}

}  // namespace heed
