#include "heed/serve/scheduler.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <numeric>
#include <thread>

#include "heed/core/parallel.h"
#include "heed/serve/model_batch.h"
#include "heed/serve/waiting_jobs.h"

namespace heed {
namespace {

using detail::HeldModel;
using detail::Job;
using detail::ModelBatch;
using detail::RunningLine;
using detail::ThreadRoom;
using detail::TimePoint;
using detail::WaitingJobs;
using Clock = std::chrono::steady_clock;

// A thread that was not between two steps for this long is busy with a long task: others take the
// lines that would be its share.
constexpr std::chrono::milliseconds kLongStep{100};

// How often an idle thread looks whether it holds models that are not used any more.
constexpr std::chrono::milliseconds kModelPoll{300};

// Maximum number of lines that a thread takes at a time.
constexpr size_t kMaxTurns = 64;

// Of a thread, since its last report.
struct StepCounts {
  BatchSizes batches;
  int64_t source_tokens = 0, target_tokens = 0;
};

bool has_expired(const Job& job, TimePoint now) {
  return job.request.deadline && *job.request.deadline <= now;
}

// A thread of the scheduler.
struct SchedulerThread {
  // Guarded by the scheduler's mutex:
  int64_t load = 0;  // lines and tasks taken and not ended, as of the last time between two steps
  int64_t reserved_rows = 0, cache_rows = 0;
  bool idle = true, full = false, in_task = false;
  TimePoint seen;  // when it was between two steps

  // Its own:
  std::vector<ModelBatch> batches;
  std::vector<WaitingJobs::Turn> taken;
  StepCounts counts;
  // How much longer its tasks took than its steps, while it has lines: these wait for a whole turn
  // of a task, so the next one waits until they had as much time.
  Clock::duration task_time{0};

  int64_t running() const {
    int64_t all = 0;
    for (const ModelBatch& b : batches) all += int64_t(b.running.size());
    return all;
  }
};

}  // namespace

int64_t BatchSizes::all_steps() const {
  return std::accumulate(steps.begin(), steps.end(), int64_t(0));
}

void BatchSizes::add_step(int64_t size) {
  const auto bound = std::lower_bound(kAtMost.begin(), kAtMost.end(), size);
  ++steps[size_t(bound - kAtMost.begin())];
  sentences += size;
}

void BatchSizes::add(const BatchSizes& other) {
  for (size_t i = 0; i < steps.size(); ++i) steps[i] += other.steps[i];
  sentences += other.sentences;
}

struct Scheduler::State {
  explicit State(const SchedulerOptions& asked);
  ~State();

  void add(const std::shared_ptr<Job>& job);
  void cancel(uint64_t id);
  SchedulerStatus status();

  // Of a thread.
  void work(SchedulerThread& self);
  bool take(SchedulerThread& self);
  void take_turns(SchedulerThread& self, TimePoint now);
  void wait(SchedulerThread& self, std::unique_lock<std::mutex>& lock);
  int64_t share(TimePoint now) const;
  void report(SchedulerThread& self);
  void begin(SchedulerThread& self, const WaitingJobs::Turn& turn);
  void run_turn(const std::shared_ptr<Job>& job);
  ModelBatch& batch_of(SchedulerThread& self, const std::shared_ptr<const ServedModel>& model);
  void step(SchedulerThread& self, ModelBatch& batch);
  void drop_ended(ModelBatch& batch);

  // Calls of observers.
  void deliver(Job& job, Translation translation);
  void show_progress(const RunningLine& line, const ModelBatch& batch, int64_t id);
  void finish(Job& job);
  void fail(Job& job, const std::exception_ptr& error);
  void fail_all(const ModelBatch& batch, const std::exception_ptr& error);
  void forget(const Job& job);

  const SchedulerOptions options;
  std::atomic<uint64_t> next_id{1};
  std::mutex mutex;  // guards what follows, but for the threads' own fields
  std::condition_variable wake;
  bool stop = false;
  std::unordered_map<uint64_t, std::shared_ptr<Job>> jobs;  // unfinished requests, by id
  WaitingJobs waiting;
  std::vector<std::shared_ptr<Job>> empty_jobs;  // requests without lines
  std::map<const ServedModel*, std::weak_ptr<HeldModel>> models;
  StepCounts counts;
  std::deque<SchedulerThread> workers;
  std::vector<std::thread> threads;
};

Scheduler::State::State(const SchedulerOptions& asked) : options(asked), waiting(asked) {
  check(options.threads >= 1 && options.hypotheses >= 1 && options.batch_tokens >= 1,
        "a scheduler without room");
  const auto wanted = int(options.threads);
  for (int i = 0; i < wanted; ++i) workers.emplace_back();
  try {
    for (SchedulerThread& worker : workers)
      start_thread(threads, {.running = int(threads.size()), .wanted = wanted},
                   [this, &worker] { work(worker); });
  } catch (...) {
    {
      std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (std::thread& thread : threads) thread.join();
    throw;
  }
}

Scheduler::State::~State() {
  {
    std::lock_guard lock(mutex);
    stop = true;
    for (const auto& [id, job] : jobs) job->ended = true;
  }
  wake.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void Scheduler::State::add(const std::shared_ptr<Job>& job) {
  {
    std::lock_guard lock(mutex);
    if (job->turns() == 0)
      empty_jobs.push_back(job);
    else
      waiting.add(job, Clock::now());
    jobs[job->id] = job;
  }
  wake.notify_all();
}

void Scheduler::State::cancel(uint64_t id) {
  std::shared_ptr<Job> job;  // may be destroyed, after the mutex is released
  std::lock_guard lock(mutex);
  const auto found = jobs.find(id);
  if (found == jobs.end()) return;
  job = std::move(found->second);
  job->ended = true;
  jobs.erase(found);
  waiting.remove(id, Clock::now());
}

SchedulerStatus Scheduler::State::status() {
  std::lock_guard lock(mutex);
  SchedulerStatus status;
  status.waiting_lines = waiting.lines();
  status.waiting_bytes = waiting.bytes();
  for (const SchedulerThread& worker : workers) {
    status.running_lines += worker.load;
    status.reserved_rows += worker.reserved_rows;
    status.cache_rows += worker.cache_rows;
  }
  status.batches = counts.batches;
  status.source_tokens = counts.source_tokens;
  status.target_tokens = counts.target_tokens;
  status.estimated_wait = waiting.estimated_wait();
  return status;
}

void Scheduler::State::work(SchedulerThread& self) {
  for (bool goes_on = true; goes_on;) {
    try {
      goes_on = take(self);
      for (const WaitingJobs::Turn& turn : self.taken) begin(self, turn);
      self.taken.clear();
      const TimePoint begun = Clock::now();
      for (ModelBatch& batch : self.batches) step(self, batch);
      self.task_time -= std::min(self.task_time, Clock::now() - begun);
      std::erase_if(self.batches, [](const ModelBatch& batch) {
        return batch.failed || (batch.running.empty() && batch.held->unused());
      });
    } catch (...) {  // out of memory
      for (const WaitingJobs::Turn& turn : self.taken) fail(*turn.job, std::current_exception());
      self.taken.clear();
      for (const ModelBatch& batch : self.batches) fail_all(batch, std::current_exception());
      self.batches.clear();
    }
  }
  self.batches.clear();
}

// Between two steps: takes lines and ends what is due. Waits if the thread has nothing to do. False
// at the end.
bool Scheduler::State::take(SchedulerThread& self) {
  std::vector<std::shared_ptr<Job>> expired, empty;
  {
    std::unique_lock lock(mutex);
    report(self);
    for (bool waited = false;; waited = true) {
      if (stop) return false;
      const TimePoint now = Clock::now();
      self.seen = now;
      expired = waiting.remove_expired(now);
      empty.swap(empty_jobs);
      take_turns(self, now);
      if (waited || self.load > 0 || !expired.empty() || !empty.empty()) break;
      wait(self, lock);
    }
  }
  for (const auto& job : expired) fail(*job, std::make_exception_ptr(DeadlinePassed()));
  for (const auto& job : empty) finish(*job);
  return true;
}

void Scheduler::State::wait(SchedulerThread& self, std::unique_lock<std::mutex>& lock) {
  std::optional<TimePoint> until = waiting.next_deadline();
  if (!self.batches.empty()) {
    const TimePoint poll = Clock::now() + kModelPoll;
    until = std::min(until.value_or(poll), poll);
  }
  self.idle = true;
  if (until)
    wake.wait_until(lock, *until);
  else
    wake.wait(lock);
  self.idle = false;
}

// Takes waiting turns, no more than its share of all.
void Scheduler::State::take_turns(SchedulerThread& self, TimePoint now) {
  self.full = self.in_task = false;
  if (waiting.empty()) return;
  const int64_t most = share(now);
  ThreadRoom room(self.batches, options);
  const bool may_take_task = self.running() == 0 || self.task_time == Clock::duration::zero();
  const auto accepts = [&](const Job& job) {
    return (may_take_task || !job.task) && room.accepts(job);
  };
  while (self.load < most && self.taken.size() < kMaxTurns) {
    auto turn = waiting.take(now, accepts);
    if (!turn) {
      self.full = !waiting.empty();
      return;
    }
    room.take(*turn);
    if (turn->job->task) self.in_task = true;
    ++self.load;
    self.taken.push_back(std::move(*turn));
  }
}

// How many lines each thread would have if those that wait were spread evenly. Counts the
// threads that are idle, or will soon be between two steps and then have room.
int64_t Scheduler::State::share(TimePoint now) const {
  int64_t lines = waiting.turns(), available = 0;
  for (const SchedulerThread& worker : workers) {
    const bool soon = !worker.full && !worker.in_task && now - worker.seen < kLongStep;
    if (!worker.idle && !soon) continue;
    lines += worker.load;
    ++available;
  }
  return (lines + available - 1) / std::max<int64_t>(1, available);
}

void Scheduler::State::report(SchedulerThread& self) {
  self.idle = false;
  self.load = self.running();
  self.reserved_rows = self.cache_rows = 0;
  for (const ModelBatch& b : self.batches) {
    const int64_t rows = b.batch->all_room().target_rows;
    self.reserved_rows += rows - b.batch->room().target_rows;
    self.cache_rows += rows;
  }
  counts.batches.add(self.counts.batches);
  counts.source_tokens += self.counts.source_tokens;
  counts.target_tokens += self.counts.target_tokens;
  self.counts = {};
}

// An exception ends only the request.
void Scheduler::State::begin(SchedulerThread& self, const WaitingJobs::Turn& turn) {
  Job& job = *turn.job;
  if (job.ended) return;
  try {
    if (job.task) {
      const TimePoint begun = Clock::now();
      run_turn(turn.job);
      self.task_time = Clock::now() - begun;
      return;
    }
    const TranslationSetup& setup = job.request.setup_of(turn.index);
    ModelBatch& batch = batch_of(self, setup.model);
    const int64_t id = batch.next_id++;
    DecodeOptions used;
    used.search = setup.options.search;
    used.attention = setup.options.attention;
    used.strict = setup.options.strict;
    batch.batch->add(id, job.request.lines[turn.index].number, turn.input, used);
    batch.running[id] = {turn.job, turn.index};
  } catch (...) {
    fail(job, std::current_exception());
  }
}

void Scheduler::State::run_turn(const std::shared_ptr<Job>& job) {
  if (has_expired(*job, Clock::now())) throw DeadlinePassed();
  const std::optional<int64_t> cost = job->task->turn();
  if (!cost) {
    job->ended = true;
    forget(*job);
    return;
  }
  {
    std::lock_guard lock(mutex);
    if (stop || job->ended) return;
    waiting.add_next_turn(job, *cost, Clock::now());
  }
  wake.notify_all();
}

// The thread's batch of this model, which is created on first use.
ModelBatch& Scheduler::State::batch_of(SchedulerThread& self,
                                       const std::shared_ptr<const ServedModel>& model) {
  if (ModelBatch* found = find_batch(self.batches, *model)) return *found;
  ModelBatch created;
  {
    std::lock_guard lock(mutex);
    std::erase_if(models, [](const auto& one) { return one.second.expired(); });
    std::weak_ptr<HeldModel>& held = models[model.get()];
    created.held = held.lock();
    if (!created.held) {
      created.held = std::make_shared<HeldModel>(HeldModel{model});
      held = created.held;
    }
  }
  const SearchLimits limits = {.hypotheses = options.hypotheses,
                               .batch_tokens = options.batch_tokens};
  created.batch = std::make_unique<LineBatch>(model->model().parts(), model->processor(), limits);
  return self.batches.emplace_back(std::move(created));
}

void Scheduler::State::step(SchedulerThread& self, ModelBatch& batch) {
  drop_ended(batch);
  if (batch.running.empty()) return;
  try {
    std::vector<CompletedLine> completed;
    self.counts.batches.add_step(batch.batch->sentences());
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
  self.counts.source_tokens += batch.batch->source_tokens() - batch.source_tokens;
  self.counts.target_tokens += batch.batch->target_tokens() - batch.target_tokens;
  batch.source_tokens = batch.batch->source_tokens();
  batch.target_tokens = batch.batch->target_tokens();
}

// Ends requests whose deadline has passed, and frees the rows of requests that have ended.
void Scheduler::State::drop_ended(ModelBatch& batch) {
  const TimePoint now = Clock::now();
  for (auto line = batch.running.begin(); line != batch.running.end();) {
    Job& job = *line->second.job;
    if (!job.ended && has_expired(job, now)) fail(job, std::make_exception_ptr(DeadlinePassed()));
    if (!job.ended) {
      ++line;
      continue;
    }
    batch.batch->cancel(line->first);
    line = batch.running.erase(line);
  }
}

void Scheduler::State::deliver(Job& job, Translation translation) {
  bool last = false;
  {
    std::lock_guard calling(job.calling);
    if (job.ended) return;
    try {
      job.observer->translated(std::move(translation));
    } catch (...) {
      cancel(job.id);
    }
    last = --job.missing == 0;
  }
  if (last) finish(job);
}

void Scheduler::State::show_progress(const RunningLine& line, const ModelBatch& batch, int64_t id) {
  Job& job = *line.job;
  std::optional<Translation> so_far = batch.batch->progress(id);
  if (!so_far) return;
  so_far->line = int64_t(line.index);
  std::lock_guard calling(job.calling);
  if (job.ended) return;
  try {
    job.observer->progress(*so_far);
  } catch (...) {
    cancel(job.id);
  }
}

void Scheduler::State::finish(Job& job) {
  forget(job);
  std::lock_guard calling(job.calling);
  if (job.ended.exchange(true)) return;
  try {
    job.observer->finished();
  } catch (...) {
    return;
  }
}

void Scheduler::State::fail(Job& job, const std::exception_ptr& error) {
  forget(job);
  std::lock_guard calling(job.calling);
  if (job.ended.exchange(true)) return;
  try {
    if (job.task)
      job.task->failed(error);
    else
      job.observer->failed(error);
  } catch (...) {
    return;
  }
}

// All requests with lines in the batch.
void Scheduler::State::fail_all(const ModelBatch& batch, const std::exception_ptr& error) {
  for (const auto& [id, line] : batch.running) fail(*line.job, error);
}

void Scheduler::State::forget(const Job& job) {
  std::lock_guard lock(mutex);
  waiting.remove(job.id, Clock::now());
  jobs.erase(job.id);
}

Scheduler::Scheduler(const SchedulerOptions& options) : state_(std::make_unique<State>(options)) {}

Scheduler::~Scheduler() = default;

uint64_t Scheduler::submit(TranslationRequest request,
                           std::shared_ptr<TranslationObserver> observer) {
  check(observer != nullptr, "a request without observer");
  for (const TranslationSetup& setup : request.setups) {
    check(setup.model != nullptr, "a request without model");
    const SearchOptions& search = setup.options.search;
    check_options(search);
    if (search.hypothesis_count() > state_->options.hypotheses)
      fail_usage("{} hypotheses: expected at most {}", search.hypothesis_count(),
                 state_->options.hypotheses);
  }
  for (const TranslationLine& line : request.lines)
    check(line.setup < request.setups.size(), "a line without setup");
  const auto job =
      std::make_shared<Job>(state_->next_id++, std::move(request), std::move(observer));
  state_->add(job);
  return job->id;
}

uint64_t Scheduler::run(std::shared_ptr<ScheduledTask> task, const TaskRequest& request) {
  check(task != nullptr, "a task");
  const auto job = std::make_shared<Job>(state_->next_id++, std::move(task), request);
  state_->add(job);
  return job->id;
}

std::optional<std::chrono::seconds> Scheduler::retry_after(const std::string& client) const {
  std::lock_guard lock(state_->mutex);
  return state_->waiting.retry_after(client, 0, 1);
}

void Scheduler::cancel(uint64_t id) {
  state_->cancel(id);
}

SchedulerStatus Scheduler::status() const {
  return state_->status();
}

}  // namespace heed
