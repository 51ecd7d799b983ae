// The input of a scheduler: requests and tasks, their observers, options, and errors of refusal.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/decode/options.h"
#include "heed/decode/translation.h"
#include "heed/serve/models.h"

namespace heed {

// The model, which is not a classifier, and the options for a line.
struct TranslationSetup {
  std::shared_ptr<const ServedModel> model;
  // LineBatch::add() says which are used; checked by check_options(), at most
  // SchedulerOptions::hypotheses hypotheses.
  DecodeOptions options;
};

// The likely number of tokens of a line of this many bytes, or of each part of it that the model
// takes at a time.
struct LikelyTokens {
  int64_t source = 0;  // none of a language model
  int64_t prompt = 0;  // of a language model: the beginning of the target
  int64_t target = 0;  // at most
};
LikelyTokens likely_tokens(const TranslationSetup& setup, size_t bytes);

// A line to translate, a prompt to continue or a sentence to parse, as its model does.
struct TranslationLine {
  TranslationInput input;
  std::shared_ptr<const TranslationSetup> setup;  // lines may share one
  // Counts from 0, for messages.
  int64_t number = 0;
};

// Lines to translate, each with its model and options.
struct TranslationRequest {
  std::vector<TranslationLine> lines;
  std::string client;  // clients take turns
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

// Receives the results of a request. Called from the scheduler's threads, one call at a time for
// each request, perhaps before submit() has returned; must not block. The calls may use the
// scheduler, but not destroy it. After finished() or failed() there are no more calls; one that
// throws cancels the request.
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
  // After the decoding steps of an unfinished line: the stable prefix of its translation
  // (LineProcessor::postprocess_first()).
  virtual void progress(const Translation&) {}
};

// The number of tokens that a turn of a task computes, about: its thread is busy until it is done,
// for about as long as with a few steps of other lines.
inline constexpr int64_t kTokensOfTurn = 512;

// Work for a request that is not a search. It is done in turns, one after another, between which
// lines of other requests are translated.
class ScheduledTask {
 public:
  virtual ~ScheduledTask() = default;

  // A turn, on one of the threads. Returns the cost of the next turn: the number of source tokens
  // whose translation takes about as long. Nothing if this was the last turn.
  virtual std::optional<int64_t> turn() = 0;
  // There is no next turn: after a DeadlinePassed, or after an exception of turn().
  virtual void failed(std::exception_ptr error) = 0;
};

// The client, cost and deadline of a task.
struct TaskRequest {
  std::string client;
  int64_t cost = 1;  // of the first turn
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

// The queue is full. `retry_after` is the time until there may be room again.
class Overloaded : public Error {
 public:
  explicit Overloaded(std::chrono::seconds retry_after)
      : Error(fmt::format("too many requests: the queue will have room in about {} s",
                          retry_after.count())),
        retry_after(retry_after) {}
  std::chrono::seconds retry_after;
};

// A request was not finished before its deadline.
class DeadlinePassed : public Error {
 public:
  DeadlinePassed() : Error("the request was not finished before its deadline") {}
};

struct SchedulerOptions {
  int64_t threads = 1;
  // Source tokens of the lines that one thread decodes together.
  int64_t batch_tokens = SearchLimits().batch_tokens;
  int64_t hypotheses = 16;  // maximum number of hypotheses of a line
  // Bounds for waiting work: a request beyond them is refused, unless nothing waits. A client alone
  // can use four fifths of `waiting_requests` and `waiting_bytes`, so that others find room.
  int64_t waiting_requests = 1000;
  int64_t waiting_bytes = 32 << 20;  // of text
  // The longest wait for which a request is accepted, estimated from the measured throughput;
  // before that is measured, any wait is accepted. Work of other clients counts only as far as its
  // turns would come before those of the request.
  std::chrono::milliseconds waiting_time{10'000};
};

}  // namespace heed
