// Translates the lines of many requests together, on a fixed number of threads.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/decode/options.h"
#include "heed/decode/translation.h"
#include "heed/serve/served_model.h"

namespace heed {

// What a line is translated with.
struct TranslationSetup {
  std::shared_ptr<const ServedModel> model;
  // `search`, `attention` and `strict` are used; checked by check_options(), at most
  // SchedulerOptions::hypotheses hypotheses.
  DecodeOptions options;
};

struct TranslationLine {
  TranslationInput input;
  size_t setup = 0;  // index in TranslationRequest::setups
  // For messages, and for the draws of sampling.
  int64_t number = 0;
};

// Lines to translate, each with its model and options.
struct TranslationRequest {
  std::vector<TranslationSetup> setups;
  std::vector<TranslationLine> lines;
  std::string client;  // whose request it is, for fairness
  std::optional<std::chrono::steady_clock::time_point> deadline;

  const TranslationSetup& setup_of(size_t line) const { return setups[lines[line].setup]; }
};

// What becomes of a request. Called from the scheduler's threads, one call at a time for each
// request, perhaps before submit() has returned; must not block. The calls may use the scheduler,
// but not destroy it. After finished() or failed() there are no more calls; one that throws cancels
// the request.
class TranslationObserver {
 public:
  virtual ~TranslationObserver() = default;

  // A line is translated; `translation.line` is its index. In any order.
  virtual void translated(Translation translation) = 0;
  // All lines are translated.
  virtual void finished() = 0;
  // The request ends without the lines that are missing: a DeadlinePassed, an Error of a line, or a
  // bug's exception.
  virtual void failed(std::exception_ptr error) = 0;

  // Whether to call progress(); may be called at any time.
  virtual bool follows_progress() const { return false; }
  // After the decoding steps of a line that is not finished: more of what is final of its
  // translation (LineProcessor::postprocess_first()).
  virtual void progress(const Translation& so_far) { (void)so_far; }
};

// Work for a client that is done in turns of its own, one after another, between which other lines
// are translated: of a request that is not a translation.
class ScheduledTask {
 public:
  virtual ~ScheduledTask() = default;

  // A turn, on one of the threads. Returns about how many source tokens of translation take as long
  // as the next turn; nothing if this was the last one.
  virtual std::optional<int64_t> turn() = 0;
  // There is no next turn: a DeadlinePassed, or what turn() threw.
  virtual void failed(std::exception_ptr error) = 0;
};

// When a task runs.
struct TaskRequest {
  std::string client;
  int64_t cost = 1;  // of the first turn, as turn() gives that of the next one
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

// The queue is full. `retry_after` is in how long there may be room again.
class Overloaded : public Error {
 public:
  explicit Overloaded(std::chrono::seconds retry_after);
  std::chrono::seconds retry_after;
};

// A request was not finished before its deadline.
class DeadlinePassed : public Error {
 public:
  DeadlinePassed();
};

struct SchedulerOptions {
  int64_t threads = 1;
  // Source tokens of the lines that one thread decodes together.
  int64_t batch_tokens = SearchLimits().batch_tokens;
  int64_t hypotheses = 16;  // most hypotheses of a line
  // Bounds for what waits: a request beyond them is refused, unless nothing waits. A client alone
  // can use four fifths of `waiting_requests` and `waiting_bytes`, so that others find room.
  int64_t waiting_requests = 1000;
  int64_t waiting_bytes = 32 << 20;  // of text
  // As estimated from the latest throughput, once there was enough to do to measure it. Other
  // clients' work counts only as far as it would have its turns before that of the request.
  std::chrono::milliseconds waiting_time{10'000};
};

// The sentences of decoding steps: how large the batches are.
struct BatchSizes {
  static constexpr std::array<int64_t, 10> kAtMost = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  std::array<int64_t, kAtMost.size() + 1> steps = {};  // of a size above the bound before
  int64_t sentences = 0;                               // of all steps

  int64_t all_steps() const;
  void add_step(int64_t size);
  void add(const BatchSizes& other);
};

// What happened, for metrics.
struct SchedulerStatus {
  int64_t waiting_lines = 0, waiting_bytes = 0;  // not begun
  int64_t running_lines = 0;                     // as of each thread's last step, tasks included
  BatchSizes batches;                            // of all threads' steps since the start
  int64_t source_tokens = 0, target_tokens = 0;  // translated since the start
  // Rows of the caches of keys and values of all batches: reserved for the hypotheses of lines that
  // are being translated, and all.
  int64_t reserved_rows = 0, cache_rows = 0;
  std::chrono::milliseconds estimated_wait{0};  // until all that waits now has begun
};

class Scheduler {
 public:
  explicit Scheduler(const SchedulerOptions& options);
  // Cancels what is unfinished.
  ~Scheduler();

  // Begins a request and returns its id. Lines join a batch as soon as there is room, at any
  // decoding step; clients take turns, and so do the requests of a client. Overloaded if there is
  // no room in the queue; UsageError if the options are out of range.
  uint64_t submit(TranslationRequest request, std::shared_ptr<TranslationObserver> observer);
  // Begins a task and returns its id. Its turns are between decoding steps; it is admitted once,
  // for all of them. Tasks that wait when the scheduler is destroyed get no more calls. Overloaded
  // as submit().
  uint64_t run(std::shared_ptr<ScheduledTask> task, const TaskRequest& request);
  // Set if even the smallest request of this client would be refused: in how long there may be
  // room. For refusing a request before anything is done for it.
  std::optional<std::chrono::seconds> retry_after(const std::string& client) const;
  // The request or task ends without finished() or failed(); it may get at most one more call that
  // has already begun. Unknown ids are ignored.
  void cancel(uint64_t id);

  SchedulerStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heed
