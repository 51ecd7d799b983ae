#include "heed/decode/translator.h"

#include <mutex>

#include "heed/core/parallel.h"
#include "heed/decode/line_batch.h"
#include "heed/decode/line_processor.h"
#include "heed/decode/line_queue.h"
#include "heed/model/sequence_model.h"

namespace heed {
namespace {

// How often a thread that waits for input checks for failed workers.
constexpr std::chrono::milliseconds kPollInterval{100};

}  // namespace

struct Translator::State {
  State(const ModelParts& parts, const DecodeOptions& options)
      : parts(parts),
        options(options),
        processor(parts.tokenizers, parts.model.config(),
                  parts.model.generation_defaults().confidence) {}

  int64_t thread_count() const { return options.threads.value_or(default_threads(parts.backend)); }

  // Works on the queue on the calling thread until its end or failure.
  void work(LineQueue& queue) {
    try {
      std::unique_ptr<LineBatch> batch = take_batch();
      queue.add_worker();
      std::vector<CompletedLine> completed;
      while (!queue.failed()) {
        fill(*batch, queue);
        if (batch->lines() == 0) break;  // the end of the input
        batch->step(completed);
        for (CompletedLine& line : completed) queue.complete(std::move(line.translation));
        completed.clear();
      }
      if (batch->lines() == 0) keep(std::move(batch));
    } catch (...) {
      queue.fail_with(std::current_exception());
    }
  }

  // Adds lines until the batch is full; waits for one if the batch is empty.
  void fill(LineBatch& batch, LineQueue& queue) const {
    while (batch.has_room()) {
      const auto if_none =
          batch.lines() == 0 ? LineQueue::IfNone::wait : LineQueue::IfNone::return_empty;
      const std::vector<QueuedLine> lines = queue.pop(if_none);
      if (lines.empty()) return;
      for (const QueuedLine& line : lines) batch.add(line.number, line.number, line.input, options);
    }
  }

  // Batches are kept between calls, with the memory of their caches.
  std::unique_ptr<LineBatch> take_batch() {
    {
      std::lock_guard lock(mutex);
      if (!idle.empty()) {
        std::unique_ptr<LineBatch> batch = std::move(idle.back());
        idle.pop_back();
        return batch;
      }
    }
    const SearchLimits limits = {.hypotheses = options.hypotheses_of_sentence(),
                                 .batch_tokens = options.batch_tokens};
    return std::make_unique<LineBatch>(parts, processor, limits);
  }
  void keep(std::unique_ptr<LineBatch> batch) {
    std::lock_guard lock(mutex);
    idle.push_back(std::move(batch));
  }

  const ModelParts parts;
  const DecodeOptions options;
  const LineProcessor processor;
  std::mutex mutex;
  std::vector<std::unique_ptr<LineBatch>> idle;
  ThreadPool threads;
};

Translator::Translator(const ModelParts& parts, const DecodeOptions& options) {
  expect_same_vocabulary(parts);
  validate(options);
  const DecodeOptions all = with_defaults(options, parts.model);
  check_options(all);
  state_ = std::make_unique<State>(parts, all);
}

Translator::~Translator() = default;

void Translator::translate(const Next& next, const Emit& emit, const Wait& wait) const {
  const auto workers = int(state_->thread_count());
  LineQueue queue(emit, workers);
  std::vector<std::future<void>> running;
  running.reserve(size_t(workers));
  try {
    while (!queue.failed()) {
      if (wait && !wait(kPollInterval)) continue;
      std::optional<TranslationInput> line = next();
      if (!line || !queue.push(std::move(*line))) break;
      const auto count = int(running.size());
      if (count < workers)
        running.push_back(state_->threads.start([&] { state_->work(queue); },
                                                {.running = count, .wanted = workers}));
    }
  } catch (...) {
    queue.fail_with(std::current_exception());
  }
  queue.close();
  for (const std::future<void>& end : running) end.wait();
  queue.rethrow();
}

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines) const {
  std::vector<Translation> all(lines.size());
  size_t at = 0;
  if (lines.size() > 1 && state_->thread_count() > 1) {
    const Next next = [&]() -> std::optional<TranslationInput> {
      if (at == lines.size()) return {};
      return lines[at++];
    };
    translate(next, [&](const Translation& t) { all[size_t(t.line)] = t; });
    return all;
  }
  std::unique_ptr<LineBatch> batch = state_->take_batch();
  std::vector<CompletedLine> completed;
  while (at < lines.size() || batch->lines() > 0) {
    for (; at < lines.size() && batch->has_room(); ++at)
      batch->add(int64_t(at), int64_t(at), lines[at], state_->options);
    batch->step(completed);
    for (CompletedLine& line : completed) all[size_t(line.id)] = std::move(line.translation);
    completed.clear();
  }
  state_->keep(std::move(batch));
  return all;
}

std::vector<std::string> best_translations(const Translator& translator,
                                           const std::vector<std::string>& lines) {
  std::vector<std::string> best;
  for (const Translation& translation : translator.translate(lines))
    best.push_back(translation.hypotheses.front().text);
  return best;
}

}  // namespace heed
