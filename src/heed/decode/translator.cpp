#include "heed/decode/translator.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

#include "heed/core/thread_pool.h"
#include "heed/decode/line_processor.h"
#include "heed/decode/line_queue.h"
#include "heed/decode/search.h"

namespace heed {
namespace {

// How often a thread that waits for input checks for failed workers.
constexpr std::chrono::milliseconds kPollInterval{100};

// What a thread decodes with. Kept between calls, with the memory of its caches.
struct Decoder {
  Decoder(const Transformer& model, Backend& backend, const DecodeOptions& options)
      : search(model, backend,
               {.hypotheses = options.search.hypothesis_count(),
                .batch_tokens = options.batch_tokens}),
        aligner(model, backend) {}
  Search search;
  Aligner aligner;
};

// Translates lines of the queue on one thread.
class Worker {
 public:
  Worker(const LineProcessor& processor, const DecodeOptions& options, Decoder& decoder,
         LineQueue& queue)
      : processor_(processor),
        options_(options),
        search_(decoder.search),
        aligner_(options.attention ? &decoder.aligner : nullptr),
        queue_(queue) {}

  void run() {
    queue_.add_worker();
    std::vector<SearchResult> results;
    while (!queue_.failed()) {
      fill();
      if (search_.running() == 0) return;  // the end of the input
      search_.step(results);
      for (SearchResult& result : results) collect(std::move(result));
      results.clear();
    }
  }

 private:
  // A line whose parts are not all translated.
  struct PendingLine {
    EncodedLine line;
    std::vector<SearchResult> results;  // of the parts
    size_t missing = 0;                 // parts without a result
  };
  struct PartOfLine {
    int64_t line;
    size_t part;
  };

  // Adds lines until the batch is full; waits for one if the batch is empty.
  void fill() {
    for (;;) {
      while (!waiting_.empty() && add(waiting_.front())) waiting_.pop_front();
      if (!waiting_.empty()) return;
      const auto when_empty =
          search_.running() == 0 ? LineQueue::WhenEmpty::wait : LineQueue::WhenEmpty::return_none;
      const std::vector<QueuedLine> lines = queue_.pop(when_empty);
      if (lines.empty()) return;
      for (const QueuedLine& line : lines) preprocess(line);
    }
  }

  // Adds a part to the batch, if there is room.
  bool add(const PartOfLine& which) {
    const EncodedPart& part = pending_.at(which.line).line.parts[which.part];
    if (!search_.has_room(int64_t(part.source.size()), options_.search)) return false;
    running_[next_request_id_] = which;
    search_.add({next_request_id_++, part.source, part.prefix, options_.search});
    return true;
  }

  // Preprocesses a line; one without tokens is complete already.
  void preprocess(const QueuedLine& line) {
    PendingLine pending{processor_.preprocess(line.input, line.number, options_), {}, 0};
    pending.missing = pending.line.parts.size();
    pending.results.resize(pending.missing);
    if (pending.missing == 0) {
      queue_.complete(processor_.postprocess(pending.line, {}, aligner_));
      return;
    }
    for (size_t i = 0; i < pending.missing; ++i) waiting_.push_back({line.number, i});
    pending_.emplace(line.number, std::move(pending));
  }

  void collect(SearchResult result) {
    const PartOfLine which = running_.extract(result.request_id).mapped();
    PendingLine& pending = pending_.at(which.line);
    pending.results[which.part] = std::move(result);
    if (--pending.missing > 0) return;
    queue_.complete(processor_.postprocess(pending.line, pending.results, aligner_));
    pending_.erase(which.line);
  }

  const LineProcessor& processor_;
  const DecodeOptions& options_;
  Search& search_;
  Aligner* const aligner_;  // null without DecodeOptions::attention
  LineQueue& queue_;
  std::deque<PartOfLine> waiting_;
  std::map<int64_t, PendingLine> pending_;  // by line
  std::map<int64_t, PartOfLine> running_;   // by request id
  int64_t next_request_id_ = 0;
};

}  // namespace

void expect_same_vocabulary(const Transformer& model, const TokenizerPair& tokenizers) {
  if (tokenizers.size() == model.config().vocabulary_size) return;
  fail("the vocabulary has {} tokens, the model {}: they do not belong together", tokenizers.size(),
       model.config().vocabulary_size);
}

struct Translator::State {
  State(const Transformer& model, const TokenizerPair& tokenizers, Backend& backend,
        const DecodeOptions& options)
      : model(model),
        backend(backend),
        options(options),
        processor(tokenizers, model.config().max_positions) {}

  int64_t thread_count() const { return options.threads.value_or(available_threads()); }

  // Works on the queue on the calling thread until its end or failure.
  void work(LineQueue& queue) {
    try {
      std::unique_ptr<Decoder> decoder = take_decoder();
      Worker(processor, options, *decoder, queue).run();
      if (decoder->search.running() == 0) keep(std::move(decoder));
    } catch (...) {
      queue.fail_with(std::current_exception());
    }
  }

  std::unique_ptr<Decoder> take_decoder() {
    {
      std::lock_guard lock(mutex);
      if (!idle.empty()) {
        std::unique_ptr<Decoder> decoder = std::move(idle.back());
        idle.pop_back();
        return decoder;
      }
    }
    return std::make_unique<Decoder>(model, backend, options);
  }
  void keep(std::unique_ptr<Decoder> decoder) {
    std::lock_guard lock(mutex);
    idle.push_back(std::move(decoder));
  }

  const Transformer& model;
  Backend& backend;
  const DecodeOptions options;
  const LineProcessor processor;
  std::mutex mutex;
  std::vector<std::unique_ptr<Decoder>> idle;
  ThreadPool threads;
};

Translator::Translator(const Transformer& model, const TokenizerPair& tokenizers, Backend& backend,
                       const DecodeOptions& options) {
  expect_same_vocabulary(model, tokenizers);
  validate(options);
  check_options(options.search);
  state_ = std::make_unique<State>(model, tokenizers, backend, options);
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
  const Next next = [&]() -> std::optional<TranslationInput> {
    if (at == lines.size()) return {};
    return lines[at++];
  };
  const Emit emit = [&](const Translation& t) { all[size_t(t.line)] = t; };
  if (lines.size() <= 1 || state_->thread_count() == 1) {
    LineQueue queue(emit, next);
    state_->work(queue);
    queue.rethrow();
  } else {
    translate(next, emit);
  }
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
