#include "heed/serve/scheduler.h"

#include <algorithm>
#include <utility>

#include "heed/core/parallel.h"

namespace heed {

namespace {

using detail::HeldModel;
using detail::Job;
using detail::ModelBatch;
using detail::RunningLine;
using detail::SchedulerThread;
using detail::TimePoint;
using detail::WaitingJobs;
using Clock = std::chrono::steady_clock;

// A thread that was not between two steps for this long is busy with a long task: others take the
// lines that would be its share.
constexpr std::chrono::milliseconds kLongStep{100};

// Interval at which an idle thread releases models that are not used any more.
constexpr std::chrono::milliseconds kModelPoll{300};

// Maximum number of lines that a thread takes at a time.
constexpr size_t kMaxTurns = 64;

bool has_expired(const Job& job, TimePoint now) {
  return job.request.deadline && *job.request.deadline <= now;
}

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options) : options_(options), waiting_(options) {
  check(options.threads >= 1 && options.hypotheses >= 1 && options.batch_tokens >= 1,
        "a scheduler without room");
  const auto wanted = int(options.threads);
  for (int i = 0; i < wanted; ++i) workers_.emplace_back();
  try {
    for (SchedulerThread& worker : workers_)
      start_thread(threads_, {.running = int(threads_.size()), .wanted = wanted},
                   [this, &worker] { work(worker); });
  } catch (...) {
    stop();
    throw;
  }
}

Scheduler::~Scheduler() {
  stop();
}

void Scheduler::stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    for (const auto& [id, job] : jobs_) job->ended = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

uint64_t Scheduler::submit(TranslationRequest request,
                           std::shared_ptr<TranslationObserver> observer) {
  check(observer != nullptr, "a request without observer");
  check(!request.lines.empty(), "a request without lines");
  const TranslationSetup* checked = nullptr;
  for (const TranslationLine& line : request.lines) {
    if (checked && line.setup.get() == checked) continue;
    checked = line.setup.get();
    check(checked && checked->model, "a line without model");
    const SearchOptions& search = checked->options.search;
    check_options(search);
    if (search.hypothesis_count() > options_.hypotheses)
      fail_usage("{} hypotheses: expected at most {}", search.hypothesis_count(),
                 options_.hypotheses);
  }
  return add(std::make_shared<Job>(next_id_++, std::move(request), std::move(observer)));
}

uint64_t Scheduler::run(std::shared_ptr<ScheduledTask> task, const TaskRequest& request) {
  check(task != nullptr, "a task that is null");
  return add(std::make_shared<Job>(next_id_++, std::move(task), request));
}

uint64_t Scheduler::add(const std::shared_ptr<Job>& job) {
  {
    std::lock_guard lock(mutex_);
    waiting_.add(job, Clock::now());
    jobs_[job->id] = job;
  }
  wake_.notify_all();
  return job->id;
}

std::optional<std::chrono::seconds> Scheduler::retry_after(const std::string& client) const {
  std::lock_guard lock(mutex_);
  return waiting_.retry_after(client, 0, 1);
}

void Scheduler::cancel(uint64_t id) {
  std::shared_ptr<Job> job;  // may be destroyed, after the mutex is released
  std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  job = std::move(found->second);
  job->ended = true;
  jobs_.erase(found);
  waiting_.remove(id, Clock::now());
}

SchedulerStatus Scheduler::status() const {
  std::lock_guard lock(mutex_);
  SchedulerStatus status{.waiting_lines = waiting_.lines(),
                         .waiting_bytes = waiting_.bytes(),
                         .step_sentences = counts_.step_sentences.Collect(),
                         .source_tokens = counts_.source_tokens,
                         .target_tokens = counts_.target_tokens,
                         .estimated_wait = waiting_.estimated_wait()};
  for (const SchedulerThread& worker : workers_) {
    status.running_lines += worker.load;
    status.reserved_rows += worker.reserved_rows;
    status.cache_rows += worker.cache_rows;
  }
  return status;
}

void Scheduler::work(SchedulerThread& self) {
  for (bool running = true; running;) {
    try {
      running = take(self);
      for (const WaitingJobs::Turn& turn : self.taken) begin(self, turn);
      self.taken.clear();
      const TimePoint begun = Clock::now();
      for (ModelBatch& batch : self.batches) step(batch);
      self.task_time -= std::min(self.task_time, Clock::now() - begun);
      std::erase_if(self.batches, [](const ModelBatch& batch) {
        return batch.failed || (batch.running.empty() && batch.held->unused());
      });
    } catch (...) {  // out of memory
      for (const WaitingJobs::Turn& turn : self.taken) end(*turn.job, std::current_exception());
      self.taken.clear();
      for (const ModelBatch& batch : self.batches) fail_all(batch, std::current_exception());
      self.batches.clear();
    }
  }
  self.batches.clear();
}

// Between two steps: takes lines and ends the jobs whose deadline has passed. Waits if the thread
// has nothing to do. False at the end.
bool Scheduler::take(SchedulerThread& self) {
  std::vector<std::shared_ptr<Job>> expired;
  {
    std::unique_lock lock(mutex_);
    report(self);
    for (bool waited = false;; waited = true) {
      if (stop_) return false;
      const TimePoint now = Clock::now();
      self.seen = now;
      expired = waiting_.remove_expired(now);
      take_turns(self, now);
      if (waited || self.load > 0 || !expired.empty()) break;
      wait(self, lock);
    }
  }
  for (const auto& job : expired) end(*job, std::make_exception_ptr(DeadlinePassed()));
  return true;
}

void Scheduler::wait(SchedulerThread& self, std::unique_lock<std::mutex>& lock) {
  std::optional<TimePoint> until = waiting_.next_deadline();
  if (!self.batches.empty()) {
    const TimePoint poll = Clock::now() + kModelPoll;
    until = std::min(until.value_or(poll), poll);
  }
  self.idle = true;
  if (until)
    wake_.wait_until(lock, *until);
  else
    wake_.wait(lock);
  self.idle = false;
}

// Takes waiting turns, no more than its share of all.
void Scheduler::take_turns(SchedulerThread& self, TimePoint now) {
  self.full = self.in_task = false;
  if (waiting_.empty()) return;
  const int64_t limit = share(now);
  detail::ThreadRoom room(self.batches, options_);
  const bool may_take_task = self.running() == 0 || self.task_time == Clock::duration::zero();
  const auto accepts = [&](const Job& job) {
    return (may_take_task || !job.task) && room.accepts(job);
  };
  while (self.load < limit && self.taken.size() < kMaxTurns) {
    auto turn = waiting_.take(now, accepts);
    if (!turn) {
      self.full = !waiting_.empty();
      return;
    }
    room.take(*turn);
    if (turn->job->task) self.in_task = true;
    ++self.load;
    self.taken.push_back(std::move(*turn));
  }
}

// The number of lines of each thread if those that wait were spread evenly over the threads that
// are idle, or will soon be between two steps and then have room.
int64_t Scheduler::share(TimePoint now) const {
  int64_t lines = waiting_.turns(), available = 0;
  for (const SchedulerThread& worker : workers_) {
    const bool soon = !worker.full && !worker.in_task && now - worker.seen < kLongStep;
    if (!worker.idle && !soon) continue;
    lines += worker.load;
    ++available;
  }
  return (lines + available - 1) / std::max<int64_t>(1, available);
}

void Scheduler::report(SchedulerThread& self) {
  self.idle = false;
  self.load = self.running();
  self.reserved_rows = self.cache_rows = 0;
  for (const ModelBatch& b : self.batches) {
    const int64_t rows = b.batch->all_room().target_rows;
    self.reserved_rows += rows - b.batch->room().target_rows;
    self.cache_rows += rows;
  }
}

// An exception ends only the request.
void Scheduler::begin(SchedulerThread& self, const WaitingJobs::Turn& turn) {
  Job& job = *turn.job;
  if (job.ended) return;
  try {
    if (job.task) {
      const TimePoint begun = Clock::now();
      run_turn(turn.job);
      self.task_time = Clock::now() - begun;
      return;
    }
    const TranslationSetup& setup = *job.request.lines[turn.index].setup;
    ModelBatch& batch = batch_of(self, setup.model);
    const int64_t id = batch.next_id++;
    batch.batch->add(id, job.request.lines[turn.index].number, turn.input, setup.options);
    batch.running[id] = {turn.job, turn.index};
  } catch (...) {
    end(job, std::current_exception());
  }
}

void Scheduler::run_turn(const std::shared_ptr<Job>& job) {
  if (has_expired(*job, Clock::now())) throw DeadlinePassed();
  const std::optional<int64_t> cost = job->task->turn();
  if (!cost) return end(*job, nullptr);
  {
    std::lock_guard lock(mutex_);
    if (stop_ || job->ended) return;
    waiting_.add_next_turn(job, *cost, Clock::now());
  }
  wake_.notify_all();
}

// The thread's batch of this model, which is created on first use.
ModelBatch& Scheduler::batch_of(SchedulerThread& self,
                                const std::shared_ptr<const ServedModel>& model) {
  if (ModelBatch* found = find_batch(self.batches, *model)) return *found;
  ModelBatch created;
  {
    std::lock_guard lock(mutex_);
    std::erase_if(models_, [](const auto& one) { return one.second.expired(); });
    std::weak_ptr<HeldModel>& held = models_[model.get()];
    created.held = held.lock();
    if (!created.held) {
      created.held = std::make_shared<HeldModel>(HeldModel{model});
      held = created.held;
    }
  }
  const SearchLimits limits = {.hypotheses = options_.hypotheses,
                               .batch_tokens = options_.batch_tokens};
  created.batch = std::make_unique<LineBatch>(model->model.parts(), *model->processor, limits);
  return self.batches.emplace_back(std::move(created));
}

void Scheduler::step(ModelBatch& batch) {
  drop_ended(batch);
  if (batch.running.empty()) return;
  try {
    std::vector<CompletedLine> completed;
    counts_.step_sentences.Observe(double(batch.batch->sentences()));
    batch.batch->step(completed);
    for (CompletedLine& line : completed) {
      const RunningLine done = batch.running.extract(line.id).mapped();
      line.translation.line = int64_t(done.index);
      deliver(*done.job, std::move(line.translation));
    }
    for (const auto& [id, line] : batch.running)
      if (line.job->observer->follows_progress()) show_progress(line, batch, id);
  } catch (...) {
    fail_all(batch, std::current_exception());
    batch.failed = true;
    return;
  }
  const int64_t source = batch.batch->source_tokens(), target = batch.batch->target_tokens();
  counts_.source_tokens += source - std::exchange(batch.source_tokens, source);
  counts_.target_tokens += target - std::exchange(batch.target_tokens, target);
}

// Ends requests whose deadline has passed, and frees the rows of requests that have ended.
void Scheduler::drop_ended(ModelBatch& batch) {
  const TimePoint now = Clock::now();
  for (auto line = batch.running.begin(); line != batch.running.end();) {
    Job& job = *line->second.job;
    if (!job.ended && has_expired(job, now)) end(job, std::make_exception_ptr(DeadlinePassed()));
    if (!job.ended) {
      ++line;
      continue;
    }
    batch.batch->cancel(line->first);
    line = batch.running.erase(line);
  }
}

// Calls the observer unless the request has ended; an exception cancels it.
template <class Call>
void Scheduler::notify(Job& job, Call&& call) {
  std::lock_guard calling(job.calling);
  if (job.ended) return;
  try {
    call(*job.observer);
  } catch (...) {
    cancel(job.id);
  }
}

void Scheduler::deliver(Job& job, Translation translation) {
  bool last = false;
  notify(job, [&](TranslationObserver& observer) {
    last = --job.missing == 0;
    observer.translated(std::move(translation));
  });
  if (last) end(job, nullptr);
}

void Scheduler::show_progress(const RunningLine& line, const ModelBatch& batch, int64_t id) {
  std::optional<Translation> so_far = batch.batch->progress(id);
  if (!so_far) return;
  so_far->line = int64_t(line.index);
  notify(*line.job, [&](TranslationObserver& observer) { observer.progress(*so_far); });
}

// The last call of an observer or a task: without an error, all is translated.
void Scheduler::end(Job& job, const std::exception_ptr& error) {
  {
    std::lock_guard lock(mutex_);
    waiting_.remove(job.id, Clock::now());
    jobs_.erase(job.id);
  }
  std::lock_guard calling(job.calling);
  if (job.ended.exchange(true)) return;
  try {
    if (job.task && error)
      job.task->failed(error);
    else if (error)
      job.observer->failed(error);
    else if (job.observer)
      job.observer->finished();
  } catch (...) {
    return;
  }
}

// All requests with lines in the batch.
void Scheduler::fail_all(const ModelBatch& batch, const std::exception_ptr& error) {
  for (const auto& [id, line] : batch.running) end(*line.job, error);
}

}  // namespace heed
