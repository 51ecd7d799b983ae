#include "heed/decode/translator.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "heed/core/counted.h"
#include "heed/core/parallel.h"
#include "heed/core/utf8.h"
#include "heed/decode/search.h"
#include "heed/decode/split.h"

namespace heed {
namespace {

// Limits on the lines between reading and emitting. A single line may have more bytes.
constexpr int64_t kMaxLines = 8192, kMaxBytes = 16 << 20;
// How often a thread that waits for input checks for failed workers.
constexpr std::chrono::milliseconds kPollInterval{100};

// Maximum number of lines that a worker pops at a time.
constexpr size_t kMaxPopped = 64;

struct Line {
  int64_t number;
  Input input;
};

// Lines from the reader to the workers, and translations from the workers to emit(), in order.
class LineQueue {
 public:
  explicit LineQueue(const Translator::Emit& emit, int workers) : emit_(emit), workers_(workers) {}
  // Without a reader thread: the only worker reads from `next`.
  LineQueue(const Translator::Emit& emit, const Translator::Next& next)
      : emit_(emit), workers_(1), next_(&next) {}

  // Called by the reader; false after a failure.
  bool push(Input input) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return error_ || sizes_.empty() || has_room(); });
    if (error_) return false;
    append(std::move(input));
    work_.notify_one();
    return true;
  }
  void close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    work_.notify_all();
  }

  enum class WhenEmpty { wait, return_none };
  // Called by workers. No lines: the end of the input or, with return_none, none at the moment.
  std::vector<Line> pop(WhenEmpty when_empty) {
    std::unique_lock lock(mutex_);
    if (next_ && !error_)
      read_more();
    else if (when_empty == WhenEmpty::wait)
      work_.wait(lock, [&] { return error_ || closed_ || !waiting_.empty(); });
    std::vector<Line> lines;
    if (error_) return lines;
    // Only a share, so that the last lines are not all popped by one worker.
    const size_t share = (waiting_.size() + size_t(workers_) - 1) / size_t(workers_);
    for (size_t i = 0; i < std::min(share, kMaxPopped); ++i) {
      lines.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    return lines;
  }

  // Called by workers. Emits the translation as soon as all before it are emitted.
  void complete(Translation translation) {
    std::unique_lock lock(mutex_);
    done_.emplace(translation.line, std::move(translation));
    if (emitting_) return;  // the thread that is emitting will see it
    emitting_ = true;
    while (!error_ && !done_.empty() && done_.begin()->first == emitted_) {
      const Translation next = std::move(done_.begin()->second);
      done_.erase(done_.begin());
      lock.unlock();
      try {
        emit_(next);
      } catch (...) {
        fail_with(std::current_exception());
      }
      lock.lock();
      ++emitted_;
      bytes_ -= sizes_.front();
      sizes_.pop_front();
      room_.notify_one();
    }
    emitting_ = false;
  }

  void fail_with(const std::exception_ptr& error) {
    std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    work_.notify_all();
    room_.notify_all();
  }
  bool failed() {
    std::lock_guard lock(mutex_);
    return error_ != nullptr;
  }
  void rethrow() {
    std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  bool has_room() const { return int64_t(sizes_.size()) < kMaxLines && bytes_ < kMaxBytes; }
  void append(Input input) {
    sizes_.push_back(int64_t(input.text.size() + input.prefix.size()));
    bytes_ += sizes_.back();
    waiting_.push_back({number_++, std::move(input)});
  }
  void read_more() {
    while (!closed_ && waiting_.size() < kMaxPopped && has_room()) {
      std::optional<Input> input = (*next_)();
      if (input)
        append(std::move(*input));
      else
        closed_ = true;
    }
  }

  const Translator::Emit& emit_;
  const int workers_;
  const Translator::Next* const next_ = nullptr;
  std::mutex mutex_;
  std::condition_variable work_, room_;
  std::deque<Line> waiting_;
  std::map<int64_t, Translation> done_;
  int64_t number_ = 0, emitted_ = 0;  // lines appended and emitted
  std::deque<int64_t> sizes_;         // bytes of the lines between
  int64_t bytes_ = 0;                 // their sum
  bool closed_ = false, emitting_ = false;
  std::exception_ptr error_;
};

// Translates lines of the queue on one thread.
class Worker {
 public:
  Worker(const Transformer& model, const TokenizerPair& tokenizers, Backend& backend,
         const DecodeOptions& options, const PrefixEncoder& prefixes, LineQueue& queue)
      : tokenizers_(tokenizers),
        options_(options),
        prefixes_(prefixes),
        queue_(queue),
        search_(model, backend, options.search),
        aligner_(model, backend),
        limit_(std::max<int64_t>(1, model.config().max_positions / 2 - 1)) {}

  void run() {
    std::vector<SearchResult> found;
    while (!queue_.failed()) {
      fill();
      if (search_.running() == 0) return;  // nothing left to do
      search_.step(found);
      for (SearchResult& f : found) collect(std::move(f));
      found.clear();
    }
  }

 private:
  // A line whose parts are not all translated.
  struct PendingLine {
    Translation translation;
    std::vector<SearchResult> parts;
    std::vector<std::vector<TokenId>> sources;  // of the parts, with DecodeOptions::attention
    int64_t missing = 0;
  };
  struct Part {
    int64_t tag;
    std::vector<TokenId> source;
    ForcedPrefix prefix;
  };

  // Adds lines until the batch is full; waits for one if the batch is empty.
  void fill() {
    for (;;) {
      while (!parts_.empty() && search_.has_room(int64_t(parts_.front().source.size()))) {
        Part& part = parts_.front();
        search_.add(part.tag, std::move(part.source), std::move(part.prefix));
        parts_.pop_front();
      }
      if (!parts_.empty()) return;
      const auto when_empty =
          search_.running() == 0 ? LineQueue::WhenEmpty::wait : LineQueue::WhenEmpty::return_none;
      const std::vector<Line> lines = queue_.pop(when_empty);
      if (lines.empty()) return;
      for (const Line& line : lines) begin(line);
    }
  }

  // Encodes a line and queues its parts. A line without tokens is completed at once.
  void begin(const Line& line) {
    PendingLine open;
    LineStatus& status = open.translation.status;
    open.translation.line = line.number;
    const std::string text = valid_utf8(line.input.text, line.number, "input", status);
    const std::string prefix = valid_utf8(line.input.prefix, line.number, "prefixes", status);
    std::vector<std::vector<TokenId>> sources = encode(text, status);
    if (sources.empty()) {
      status.empty = true;
      const std::vector<TokenId> ids =
          prefix_ids(prefix, line.number, search_.target_limit(search_.source_limit()));
      Alternative prefix_alone{tokenizers_.target().decode(ids), 0,
                               tokenizers_.target().pieces(ids)};
      if (options_.attention) prefix_alone.attention.resize(ids.size());
      open.translation.alternatives.push_back(std::move(prefix_alone));
      queue_.complete(std::move(open.translation));
      return;
    }
    open.missing = int64_t(sources.size());
    open.parts.resize(sources.size());
    for (size_t i = 0; i < sources.size(); ++i) {
      sources[i].push_back(tokenizers_.source().end_id());
      const int64_t tag = next_tag_++;
      places_[tag] = {line.number, i};
      Part part{tag, sources[i], {}};
      if (i == 0) part.prefix = forced_prefix(prefix, line.number, int64_t(sources[i].size()));
      parts_.push_back(std::move(part));
    }
    if (options_.attention) open.sources = std::move(sources);
    open_.emplace(line.number, std::move(open));
  }

  // The text with U+FFFD for invalid bytes.
  std::string valid_utf8(const std::string& text, int64_t number, const char* what,
                         LineStatus& status) const {
    const auto at = find_invalid_utf8(text);
    if (!at) return text;
    if (options_.strict)
      fail("line {} of the {} is not UTF-8 at byte {}", number + 1, what, *at + 1);
    status.repaired = true;
    return replace_invalid_utf8(text);
  }

  // The parts of a text, each short enough for the model; none for a text without tokens.
  std::vector<std::vector<TokenId>> encode(const std::string& text, LineStatus& status) const {
    const Tokenizer& tokenizer = tokenizers_.source();
    std::vector<std::vector<TokenId>> sources;
    Encoding line = tokenizer.encode_beginning(text, limit_);
    if (line.whole && int64_t(line.ids.size()) <= limit_) {
      sources.push_back(std::move(line.ids));
    } else {
      status.split = true;
      const auto encode = [&](std::string_view part) { return tokenizer.encode_with_ends(part); };
      for (TextPart& part : split_text(text, limit_, encode))
        sources.push_back(std::move(part.ids));
    }
    // A single character may still have more tokens than the model has positions.
    for (auto& source : sources)
      if (int64_t(source.size()) >= search_.source_limit()) {
        source.resize(size_t(search_.source_limit()) - 1);
        status.cut = true;
      }
    std::erase_if(sources, [](const auto& source) { return source.empty(); });
    return sources;
  }

  // `source_length` is that of the line's first part.
  ForcedPrefix forced_prefix(const std::string& prefix, int64_t number,
                             int64_t source_length) const {
    if (prefix.empty()) return {};
    prefix_ids(prefix, number, search_.target_limit(source_length));
    return prefixes_.encode(prefix);
  }

  // The tokens of a prefix, which must be fewer than `limit`.
  std::vector<TokenId> prefix_ids(const std::string& prefix, int64_t number, int64_t limit) const {
    Encoding encoding = tokenizers_.target().encode_beginning(prefix, limit);
    if (!encoding.whole || int64_t(encoding.ids.size()) >= limit)
      fail(
          "line {} of the prefixes has {}{}, and its translation may have {} with </s> "
          "(--max-length, --extra-length): shorten the prefix or raise the bound",
          number + 1, encoding.whole ? "" : "at least ",
          counted(int64_t(encoding.ids.size()), "token"), limit);
    return std::move(encoding.ids);
  }

  void collect(SearchResult found) {
    const auto place = places_.extract(found.tag).mapped();
    PendingLine& open = open_.at(place.first);
    open.parts[place.second] = std::move(found);
    if (--open.missing > 0) return;
    finish(open);
    queue_.complete(std::move(open.translation));
    open_.erase(place.first);
  }

  // Joins the hypotheses of the parts rank by rank.
  void finish(PendingLine& open) {
    size_t count = SIZE_MAX;
    for (const SearchResult& part : open.parts) count = std::min(count, part.hypotheses.size());
    for (size_t n = 0; n < count; ++n) {
      Alternative alternative;
      std::vector<std::string> texts;
      for (const SearchResult& part : open.parts) {
        const Hypothesis& c = part.hypotheses[n];
        std::string text = tokenizers_.target().decode(c.ids);
        std::replace(text.begin(), text.end(), '\n', ' ');  // a line stays one line
        texts.push_back(std::move(text));
        alternative.score += c.score;
        const std::vector<std::string> pieces = tokenizers_.target().pieces(c.ids);
        alternative.pieces.insert(alternative.pieces.end(), pieces.begin(), pieces.end());
        if (n == 0 && !c.ended) open.translation.status.cut = true;
      }
      alternative.text = texts.size() == 1 ? std::move(texts[0]) : join_parts(texts);
      open.translation.alternatives.push_back(std::move(alternative));
    }
    if (options_.attention) align(open, count);
    // Samples are in the order of their numbers.
    std::stable_sort(open.translation.alternatives.begin(), open.translation.alternatives.end(),
                     [](const Alternative& a, const Alternative& b) { return a.score > b.score; });
  }

  // Appends the attention of the first `count` hypotheses of each part.
  void align(PendingLine& open, size_t count) {
    for (size_t i = 0; i < open.parts.size(); ++i) {
      const std::vector<std::string> pieces = tokenizers_.source().pieces(open.sources[i]);
      auto& all = open.translation.source_pieces;
      const size_t before = all.size();
      all.insert(all.end(), pieces.begin(), pieces.end());
      std::vector<std::vector<TokenId>> targets;
      for (size_t n = 0; n < count; ++n) targets.push_back(open.parts[i].hypotheses[n].ids);
      std::vector<AttentionWeights> weights = aligner_.weights(open.sources[i], targets);
      for (size_t n = 0; n < count; ++n)
        append(open.translation.alternatives[n].attention, std::move(weights[n]), before);
    }
  }

  const TokenizerPair& tokenizers_;
  const DecodeOptions& options_;
  const PrefixEncoder& prefixes_;
  LineQueue& queue_;
  Search search_;
  Aligner aligner_;
  const int64_t limit_;  // source tokens of a part: half the positions leave room for the target
  std::deque<Part> parts_;
  std::map<int64_t, PendingLine> open_;
  std::map<int64_t, std::pair<int64_t, size_t>> places_;  // tag -> line, part
  int64_t next_tag_ = 0;
};

}  // namespace

std::string LineStatus::text() const {
  std::string all;
  const auto add = [&](bool holds, const char* name) {
    if (!holds) return;
    if (!all.empty()) all += ',';
    all += name;
  };
  add(empty, "empty");
  add(split, "split");
  add(cut, "cut");
  add(repaired, "repaired");
  return all.empty() ? "ok" : all;
}

void expect_same_vocabulary(const Transformer& model, const TokenizerPair& tokenizers) {
  if (tokenizers.size() == model.config().vocabulary) return;
  fail("the vocabulary has {} tokens, the model {}: they do not belong together", tokenizers.size(),
       model.config().vocabulary);
}

namespace {

// Alone: a translator may be made for a single line, and check_options() has been through the rest.
void check_threads(std::optional<int64_t> threads) {
  Options options;
  OptionCollector collector(options);
  collector("threads", threads, kThreadsOption);
  validate(options);
}

}  // namespace

Translator::Translator(const Transformer& model, const TokenizerPair& tokenizers, Backend& backend,
                       const DecodeOptions& options)
    : model_(model), tokenizers_(tokenizers), backend_(backend), options_(options) {
  expect_same_vocabulary(model, tokenizers);
  check_options(options.search);
  check_threads(options.threads);
}

void Translator::translate(const Next& next, const Emit& emit, const Wait& wait) const {
  const int workers = int(options_.threads.value_or(available_threads()));
  LineQueue queue(emit, workers);
  const PrefixEncoder prefixes(tokenizers_.target());
  const auto work = [&] {
    try {
      Worker(model_, tokenizers_, backend_, options_, prefixes, queue).run();
    } catch (...) {
      queue.fail_with(std::current_exception());
    }
  };
  std::vector<std::thread> threads;
  try {
    while (!queue.failed()) {
      if (wait && !wait(kPollInterval)) continue;
      std::optional<Input> line = next();
      if (!line || !queue.push(std::move(*line))) break;
      const int running = int(threads.size());
      if (running < workers) start_thread(threads, {.running = running, .wanted = workers}, work);
    }
  } catch (...) {
    queue.fail_with(std::current_exception());
  }
  queue.close();
  for (std::thread& thread : threads) thread.join();
  queue.rethrow();
}

void Translator::translate_here(const Next& next, const Emit& emit) const {
  LineQueue queue(emit, next);
  const PrefixEncoder prefixes(tokenizers_.target());
  Worker(model_, tokenizers_, backend_, options_, prefixes, queue).run();
  queue.rethrow();
}

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines) const {
  std::vector<Translation> all(lines.size());
  size_t at = 0;
  const Next next = [&]() -> std::optional<Input> {
    if (at == lines.size()) return {};
    return lines[at++];
  };
  const Emit emit = [&](const Translation& t) { all[size_t(t.line)] = t; };
  if (lines.size() <= 1 || options_.threads.value_or(available_threads()) == 1)
    translate_here(next, emit);
  else
    translate(next, emit);
  return all;
}

std::vector<std::string> best_translations(const Translator& translator,
                                           const std::vector<std::string>& lines) {
  std::vector<std::string> best;
  for (const Translation& translation : translator.translate(lines))
    best.push_back(translation.alternatives.front().text);
  return best;
}

}  // namespace heed
