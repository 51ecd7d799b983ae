#include "heed/serve/waiting_jobs.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

// What a client may have waiting, as a multiple of the room that is left: a client alone can use
// four fifths of it, and others always find some.
constexpr int64_t kShareOfFreeRoom = 4;

// Bounds for Overloaded::retry_after, in seconds.
constexpr double kSoonest = 1, kLatest = 60;

std::chrono::milliseconds as_milliseconds(double seconds) {
  return std::chrono::milliseconds(int64_t(1000 * std::min(seconds, 1e6)));
}

}  // namespace

namespace detail {

Job::Job(uint64_t id, TranslationRequest asked, std::shared_ptr<TranslationObserver> observer)
    : id(id),
      request(std::move(asked)),
      observer(std::move(observer)),
      missing(request.lines.size()) {
  for (size_t i = 0; i < turns(); ++i) {
    waiting_bytes += bytes(i);
    waiting_cost += cost(i);
  }
}

Job::Job(uint64_t id, std::shared_ptr<ScheduledTask> task, const TaskRequest& asked)
    : id(id),
      task(std::move(task)),
      task_cost(std::max<int64_t>(1, asked.cost)),
      waiting_cost(task_cost) {
  request.client = asked.client;
  request.deadline = asked.deadline;
}

int64_t Job::bytes(size_t turn) const {
  if (task) return 0;
  const TranslationInput& line = request.lines[turn].input;
  return int64_t(line.text.size() + line.prefix.size());
}

// A token has about 3 bytes; a step of a sentence costs more with more hypotheses, but its source
// is encoded once for all.
int64_t Job::cost(size_t turn) const {
  if (task) return task_cost;
  constexpr int64_t kOfAnyLine = 8;
  return (bytes(turn) / 3 + kOfAnyLine) *
         (1 + request.setup_of(turn).options.search.hypothesis_count()) / 2;
}

void WaitingJobs::add(std::shared_ptr<Job> job, TimePoint now) {
  throughput_.update(now, !empty());
  if (const auto wait = retry_after(job->request.client, job->waiting_bytes, job->waiting_cost))
    throw Overloaded(*wait);
  insert(std::move(job));
  throughput_.update(now, true);
}

void WaitingJobs::add_next_turn(std::shared_ptr<Job> job, int64_t cost, TimePoint now) {
  check(job->task != nullptr && jobs_.count(job->id) == 0, "a task that does not wait");
  throughput_.update(now, !empty());
  job->next = 0;
  job->task_cost = job->waiting_cost = std::max<int64_t>(1, cost);
  insert(std::move(job));
  throughput_.update(now, true);
}

void WaitingJobs::insert(std::shared_ptr<Job> job) {
  Totals& client = clients_[job->request.client];
  for (Totals* totals : {&client, &total_}) {
    ++totals->jobs;
    totals->bytes += job->waiting_bytes;
    totals->cost += job->waiting_cost;
  }
  turns_ += int64_t(job->turns());
  tasks_ += job->task ? 1 : 0;
  queue_.add(job->request.client, job->id);
  if (job->request.deadline) deadlines_.emplace(*job->request.deadline, job->id);
  const uint64_t id = job->id;
  jobs_[id] = std::move(job);
}

// A job that would be alone always has room.
std::optional<std::chrono::seconds> WaitingJobs::retry_after(const std::string& client,
                                                             int64_t bytes, int64_t cost) const {
  if (empty()) return {};
  const auto found = clients_.find(client);
  const Totals own = found == clients_.end() ? Totals() : found->second;
  const auto fits = [](int64_t added, int64_t own, int64_t all, int64_t limit) {
    return all + added <= limit && own + added <= kShareOfFreeRoom * (limit - all);
  };
  const double wait = seconds_before(client, cost);
  const double longest = std::chrono::duration<double>(options_.waiting_time).count();
  if (fits(1, own.jobs, total_.jobs, options_.waiting_requests) &&
      fits(bytes, own.bytes, total_.bytes, options_.waiting_bytes) && wait <= longest)
    return {};
  // Until half of what waits has begun, or the wait is as long as allowed.
  const double all = std::chrono::duration<double>(estimated_wait()).count();
  const double seconds = std::clamp(std::max(all / 2, wait - longest), kSoonest, kLatest);
  return std::chrono::seconds(int64_t(std::ceil(seconds)));
}

// How long a new job of this cost would be delayed by what waits: its client's other jobs, and as
// much of each other client's as they have turns until then. 0 before there is a measurement.
double WaitingJobs::seconds_before(const std::string& client, int64_t cost) const {
  const auto per_second = throughput_.per_second();
  if (!per_second) return 0;
  const auto found = clients_.find(client);
  const int64_t own = found == clients_.end() ? 0 : found->second.cost;
  int64_t before = own;
  for (const auto& [name, totals] : clients_)
    if (name != client) before += std::min(totals.cost, own + cost);
  return double(before) / *per_second;
}

std::chrono::milliseconds WaitingJobs::estimated_wait() const {
  const auto per_second = throughput_.per_second();
  return per_second ? as_milliseconds(double(total_.cost) / *per_second)
                    : std::chrono::milliseconds(0);
}

WaitingJobs::Turn WaitingJobs::take_turn(uint64_t id, TimePoint now) {
  throughput_.update(now, true);
  Turn turn;
  turn.job = jobs_.at(id);
  Job& job = *turn.job;
  turn.index = job.next++;
  const int64_t bytes = job.bytes(turn.index), cost = job.cost(turn.index);
  queue_.charge(id, double(cost));
  throughput_.begin(cost);
  job.waiting_bytes -= bytes;
  job.waiting_cost -= cost;
  subtract(job, bytes, cost);
  --turns_;
  tasks_ -= job.task ? 1 : 0;
  if (!job.task) turn.input = std::move(job.request.lines[turn.index].input);
  if (job.next == job.turns()) erase(job);
  throughput_.update(now, !empty());
  return turn;
}

void WaitingJobs::remove(uint64_t id, TimePoint now) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  const std::shared_ptr<Job> job = found->second;
  subtract(*job, job->waiting_bytes, job->waiting_cost);
  const auto left = int64_t(job->turns() - job->next);
  turns_ -= left;
  tasks_ -= job->task ? left : 0;
  erase(*job);
  throughput_.update(now, !empty());
}

std::vector<std::shared_ptr<Job>> WaitingJobs::remove_expired(TimePoint now) {
  std::vector<std::shared_ptr<Job>> expired;
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const uint64_t id = deadlines_.begin()->second;
    expired.push_back(jobs_.at(id));
    remove(id, now);
  }
  return expired;
}

std::optional<TimePoint> WaitingJobs::next_deadline() const {
  if (deadlines_.empty()) return {};
  return deadlines_.begin()->first;
}

// A job without a turn that waits.
void WaitingJobs::erase(const Job& job) {
  queue_.remove(job.id);
  if (job.request.deadline) {
    const auto [first, last] = deadlines_.equal_range(*job.request.deadline);
    deadlines_.erase(
        std::find_if(first, last, [&](const auto& one) { return one.second == job.id; }));
  }
  const auto client = clients_.find(job.request.client);
  --total_.jobs;
  if (--client->second.jobs == 0) clients_.erase(client);
  jobs_.erase(job.id);
}

void WaitingJobs::subtract(const Job& job, int64_t bytes, int64_t cost) {
  for (Totals* totals : {&clients_.at(job.request.client), &total_}) {
    totals->bytes -= bytes;
    totals->cost -= cost;
  }
}

}  // namespace detail
}  // namespace heed
