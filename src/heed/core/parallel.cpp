#include "heed/core/parallel.h"

#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>

#include "heed/core/error.h"

namespace heed {

int available_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, int(std::thread::hardware_concurrency()));
}

void start_thread(std::vector<std::thread>& threads, ThreadCount count,
                  std::function<void()> body) {
  threads.reserve(threads.size() + 1);
  try {
    threads.emplace_back(std::move(body));
  } catch (const std::system_error& error) {
    fail("cannot start {} threads, only {} ({}): give fewer with --threads", count.wanted,
         count.running, error.code().message());
  }
}

struct Workers::Team {
  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> threads;
  const std::function<void(int64_t, int)>* task = nullptr;
  int64_t tasks = 0;
  std::atomic<int64_t> next{0};
  uint64_t job = 0;
  int busy = 0;
  bool stop = false;
  std::exception_ptr error;

  void end() {
    {
      std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (auto& thread : threads) thread.join();
  }

  void work(int worker) {
    for (;;) {
      const int64_t i = next.fetch_add(1);
      if (i >= tasks) return;
      try {
        (*task)(i, worker);
      } catch (...) {
        std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        next = tasks;
      }
    }
  }

  void loop(int worker) {
    uint64_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return stop || job != seen; });
        if (stop) return;
        seen = job;
      }
      work(worker);
      std::lock_guard lock(mutex);
      if (--busy == 0) done.notify_one();
    }
  }
};

Workers::Workers(int threads) : count_(threads), team_(std::make_unique<Team>()) {
  check(threads >= 1, "at least one thread");
  try {
    for (int i = 1; i < threads; ++i)
      start_thread(team_->threads, {.running = i, .wanted = threads},
                   [this, i] { team_->loop(i); });
  } catch (...) {
    team_->end();
    throw;
  }
}

Workers::~Workers() {
  team_->end();
}

void Workers::run(int64_t tasks, const std::function<void(int64_t, int)>& task) {
  {
    std::lock_guard lock(team_->mutex);
    check(team_->task == nullptr, "Workers::run called from inside a task");
    team_->task = &task;
    team_->tasks = tasks;
    team_->next = 0;
    team_->error = nullptr;
    team_->busy = count_ - 1;
    ++team_->job;
  }
  if (count_ > 1) team_->wake.notify_all();
  team_->work(0);
  std::unique_lock lock(team_->mutex);
  team_->done.wait(lock, [&] { return team_->busy == 0; });
  team_->task = nullptr;
  if (team_->error) std::rethrow_exception(team_->error);
}

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
