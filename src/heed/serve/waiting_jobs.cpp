#include "heed/serve/waiting_jobs.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

// A client's waiting work is at most this multiple of the unused room: a client alone can use four
// fifths of the limit, and others always find some room.
constexpr int64_t kMaxMultipleOfFreeRoom = 4;

// Bounds for Overloaded::retry_after, in seconds.
constexpr double kMinRetryAfter = 1, kMaxRetryAfter = 60;

}  // namespace

namespace detail {

void Work::add(const Work& other, int64_t times) {
  jobs += times * other.jobs;
  lines += times * other.lines;
  tasks += times * other.tasks;
  bytes += times * other.bytes;
  cost += times * other.cost;
}

Job::Job(uint64_t id, TranslationRequest asked, std::shared_ptr<TranslationObserver> observer)
    : id(id),
      request(std::move(asked)),
      observer(std::move(observer)),
      waiting{.jobs = 1},
      missing(request.lines.size()) {
  for (size_t i = 0; i < request.lines.size(); ++i) waiting.add(of_line(i));
}

Job::Job(uint64_t id, std::shared_ptr<ScheduledTask> task, const TaskRequest& asked)
    : id(id),
      task(std::move(task)),
      waiting{.jobs = 1, .tasks = 1, .cost = std::max<int64_t>(1, asked.cost)} {
  request.client = asked.client;
  request.deadline = asked.deadline;
}

// A token has about 3 bytes; a step of a sentence costs more with more hypotheses, but its source
// is encoded once for all. A translation is about as long as its source; a continuation may have
// any length.
Work Job::of_line(size_t index) const {
  constexpr int64_t kFixedCostOfLine = 8;  // in tokens: besides that of its text
  const TranslationInput& line = request.lines[index].input;
  const auto bytes = int64_t(line.text.size() + line.prefix.size());
  const TranslationSetup& setup = *request.lines[index].setup;
  const int64_t hypotheses = setup.options.search.hypothesis_count();
  const int64_t read = bytes / 3 + kFixedCostOfLine;
  int64_t written = read;
  if (setup.model->task == LearningTask::language_model) {
    const LikelyTokens tokens = likely_tokens(setup, size_t(bytes));
    written = kFixedCostOfLine + std::max<int64_t>(0, tokens.target - tokens.prompt);
  }
  return {.lines = 1, .bytes = bytes, .cost = (read + written * hypotheses) / 2};
}

void Throughput::update(TimePoint now, bool waits) {
  if (waits_) {
    const double passed = std::chrono::duration<double>(now - updated_).count();
    period_.seconds += passed;
    if (period_.seconds >= kMinPeriod) {
      const double kept = std::exp2(-period_.seconds / kHalfLife);
      total_ = {kept * total_.cost + period_.cost, kept * total_.seconds + period_.seconds};
      period_ = {};
      // Work has waited for kMinPeriod without a break, so the rest of this wait will count even if
      // it is shorter.
      waited_long_ = true;
    } else if (waited_long_ && !waits) {
      total_ = {total_.cost + period_.cost, total_.seconds + period_.seconds};
    }
  }
  if (!waits) {
    period_ = {};
    waited_long_ = false;
  }
  waits_ = waits;
  updated_ = now;
}

std::optional<double> Throughput::per_second() const {
  if (total_.seconds < kMinMeasured || total_.cost <= 0) return {};
  return total_.cost / total_.seconds;
}

void WaitingJobs::add(const std::shared_ptr<Job>& job, TimePoint now) {
  throughput_.update(now, !empty());
  if (const auto wait = retry_after(job->request.client, job->waiting.bytes, job->waiting.cost))
    throw Overloaded(*wait);
  insert(job);
  throughput_.update(now, true);
}

void WaitingJobs::add_next_turn(const std::shared_ptr<Job>& job, int64_t cost, TimePoint now) {
  check(job->task != nullptr && jobs_.count(job->id) == 0, "a task that waits already, or none");
  throughput_.update(now, !empty());
  job->waiting = {.jobs = 1, .tasks = 1, .cost = std::max<int64_t>(1, cost)};
  insert(job);
  throughput_.update(now, true);
}

void WaitingJobs::insert(const std::shared_ptr<Job>& job) {
  count(*job, job->waiting, 1);
  queue_.add(job->request.client, job->id);
  if (job->request.deadline) deadlines_.emplace(*job->request.deadline, job->id);
  jobs_[job->id] = job;
}

void WaitingJobs::count(const Job& job, const Work& work, int64_t times) {
  for (Work* all : {&clients_[job.request.client], &total_}) all->add(work, times);
}

Work WaitingJobs::of_client(const std::string& client) const {
  const auto found = clients_.find(client);
  return found == clients_.end() ? Work() : found->second;
}

// A job that would be alone always has room.
std::optional<std::chrono::seconds> WaitingJobs::retry_after(const std::string& client,
                                                             int64_t bytes, int64_t cost) const {
  if (empty()) return {};
  const Work own = of_client(client);
  const auto fits = [](int64_t added, int64_t own, int64_t all, int64_t limit) {
    return all + added <= limit && own + added <= kMaxMultipleOfFreeRoom * (limit - all);
  };
  const double wait = seconds_before(client, cost);
  const double longest = std::chrono::duration<double>(options_.waiting_time).count();
  if (fits(1, own.jobs, total_.jobs, options_.waiting_requests) &&
      fits(bytes, own.bytes, total_.bytes, options_.waiting_bytes) && wait <= longest)
    return {};
  // Until half of what waits has begun, or the wait is as long as allowed.
  const double all = std::chrono::duration<double>(estimated_wait()).count();
  const double seconds =
      std::clamp(std::max(all / 2, wait - longest), kMinRetryAfter, kMaxRetryAfter);
  return std::chrono::seconds(int64_t(std::ceil(seconds)));
}

// The delay of a new job of this cost by waiting work: by all of its client, and by as much of each
// other client as would have its turns before. 0 before there is a measurement.
double WaitingJobs::seconds_before(const std::string& client, int64_t cost) const {
  const auto per_second = throughput_.per_second();
  if (!per_second) return 0;
  const int64_t own = of_client(client).cost;
  int64_t before = own;
  for (const auto& [name, work] : clients_)
    if (name != client) before += std::min(work.cost, own + cost);
  return double(before) / *per_second;
}

std::chrono::milliseconds WaitingJobs::estimated_wait() const {
  const auto per_second = throughput_.per_second();
  const double seconds = per_second ? double(total_.cost) / *per_second : 0;
  return std::chrono::milliseconds(int64_t(1000 * std::min(seconds, 1e6)));
}

WaitingJobs::Turn WaitingJobs::take_turn(uint64_t id, TimePoint now) {
  throughput_.update(now, true);
  Turn turn{.job = jobs_.at(id)};
  Job& job = *turn.job;
  Work work = {.tasks = 1, .cost = job.waiting.cost};
  if (!job.task) {
    turn.index = job.next++;
    work = job.of_line(turn.index);
    turn.input = std::move(job.request.lines[turn.index].input);
  }
  queue_.charge(job.request.client, id, double(work.cost));
  throughput_.begin(work.cost);
  job.waiting.add(work, -1);
  count(job, work, -1);
  if (job.waiting.lines + job.waiting.tasks == 0) erase(job);
  throughput_.update(now, !empty());
  return turn;
}

void WaitingJobs::remove(uint64_t id, TimePoint now) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  const std::shared_ptr<Job> job = found->second;
  erase(*job);
  throughput_.update(now, !empty());
}

std::vector<std::shared_ptr<Job>> WaitingJobs::remove_expired(TimePoint now) {
  std::vector<std::shared_ptr<Job>> expired;
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    expired.push_back(jobs_.at(deadlines_.begin()->second));
    remove(expired.back()->id, now);
  }
  return expired;
}

std::optional<TimePoint> WaitingJobs::next_deadline() const {
  if (deadlines_.empty()) return {};
  return deadlines_.begin()->first;
}

void WaitingJobs::erase(const Job& job) {
  queue_.remove(job.request.client, job.id);
  if (job.request.deadline) deadlines_.erase({*job.request.deadline, job.id});
  count(job, job.waiting, -1);
  if (clients_.at(job.request.client).jobs == 0) clients_.erase(job.request.client);
  jobs_.erase(job.id);
}

}  // namespace detail
}  // namespace heed
