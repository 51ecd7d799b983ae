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
#include "heed/decode/split.h"

namespace heed {
namespace {

// Held at most between the line read last and the line emitted last. A single line may have more
// bytes.
constexpr int64_t kMostLines = 8192, kMostBytes = 16 << 20;
// How often the thread that waits for input looks whether a worker has failed.
constexpr std::chrono::milliseconds kGlance{100};

// Lines that a worker takes at a time, at most.
constexpr size_t kMostTaken = 64;

struct Line {
  int64_t number;
  Input input;
};

// Lines on their way from the reader to the workers, and translations on their way back into order.
class Exchange {
 public:
  explicit Exchange(const Translator::Emit& emit, int workers) : emit_(emit), workers_(workers) {}
  // Without a reader: the only worker takes its lines from `next`.
  Exchange(const Translator::Emit& emit, const Translator::Next& next)
      : emit_(emit), workers_(1), next_(&next) {}

  // Reader: false once something failed.
  bool put(Input input) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return error_ || sizes_.empty() || has_room(); });
    if (error_) return false;
    queue(std::move(input));
    work_.notify_one();
    return true;
  }
  void close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    work_.notify_all();
  }

  enum class Patience { wait, now };
  // Worker: takes its share of the lines that wait; none is the end, or nothing there right now.
  std::vector<Line> take(Patience patience) {
    std::unique_lock lock(mutex_);
    if (next_ && !error_)
      read_more();
    else if (patience == Patience::wait)
      work_.wait(lock, [&] { return error_ || closed_ || !waiting_.empty(); });
    std::vector<Line> lines;
    if (error_) return lines;
    // A share, so that the last lines do not all end up with one worker.
    const size_t share = (waiting_.size() + size_t(workers_) - 1) / size_t(workers_);
    for (size_t i = 0; i < std::min(share, kMostTaken); ++i) {
      lines.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    return lines;
  }

  // Worker: a line is done; emits all that are next in order.
  void give(Translation translation) {
    std::unique_lock lock(mutex_);
    done_.emplace(translation.line, std::move(translation));
    if (emitting_) return;  // whoever emits now will see it
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
  bool has_room() const { return int64_t(sizes_.size()) < kMostLines && bytes_ < kMostBytes; }
  void queue(Input input) {
    sizes_.push_back(int64_t(input.text.size() + input.prefix.size()));
    bytes_ += sizes_.back();
    waiting_.push_back({number_++, std::move(input)});
  }
  void read_more() {
    while (!closed_ && waiting_.size() < kMostTaken && has_room()) {
      std::optional<Input> input = (*next_)();
      if (input)
        queue(std::move(*input));
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
  int64_t number_ = 0, emitted_ = 0;  // lines queued and emitted
  std::deque<int64_t> sizes_;         // bytes of the lines between
  int64_t bytes_ = 0;                 // their sum
  bool closed_ = false, emitting_ = false;
  std::exception_ptr error_;
};

// One thread's share of the work: its running batch and the lines it has in hand.
class Worker {
 public:
  Worker(const Transformer& model, const TokenizerPair& tokenizers, Backend& backend,
         const DecodeOptions& options, const Prefixes& prefixes, Exchange& exchange)
      : tokenizers_(tokenizers),
        options_(options),
        prefixes_(prefixes),
        exchange_(exchange),
        search_(model, backend, options.search),
        aligner_(model, backend),
        limit_(std::max<int64_t>(1, model.config().max_positions / 2 - 1)) {}

  void run() {
    std::vector<Found> found;
    while (!exchange_.failed()) {
      fill();
      if (search_.running() == 0) return;  // nothing left to do
      search_.step(found);
      for (Found& f : found) collect(std::move(f));
      found.clear();
    }
  }

 private:
  // A line whose parts are being searched.
  struct Open {
    Translation translation;
    std::vector<Found> parts;
    std::vector<std::vector<TokenId>> sources;  // of the parts, where attention is asked for
    int64_t missing = 0;
  };
  struct Part {
    int64_t tag;
    std::vector<TokenId> source;
    Beginning beginning;
  };

  // Takes lines in until the batch is full; waits for one where it would be empty.
  void fill() {
    for (;;) {
      while (!parts_.empty() && search_.has_room(int64_t(parts_.front().source.size()))) {
        Part& part = parts_.front();
        search_.add(part.tag, std::move(part.source), std::move(part.beginning));
        parts_.pop_front();
      }
      if (!parts_.empty()) return;
      const auto patience =
          search_.running() == 0 ? Exchange::Patience::wait : Exchange::Patience::now;
      const std::vector<Line> lines = exchange_.take(patience);
      if (lines.empty()) return;
      for (const Line& line : lines) begin(line);
    }
  }

  // Encodes a line and queues its parts; a line with nothing in it is done at once.
  void begin(const Line& line) {
    Open open;
    LineStatus& status = open.translation.status;
    open.translation.line = line.number;
    const std::string text = sound(line.input.text, line.number, "input", status);
    const std::string prefix = sound(line.input.prefix, line.number, "prefixes", status);
    std::vector<std::vector<TokenId>> sources = encode(text, status);
    if (sources.empty()) {
      status.empty = true;
      const std::vector<TokenId> ids =
          prefix_ids(prefix, line.number, search_.target_limit(search_.source_limit()));
      Alternative prefix_alone{tokenizers_.target().decode(ids), 0,
                               tokenizers_.target().pieces(ids)};
      if (options_.attention) prefix_alone.attention.resize(ids.size());
      open.translation.alternatives.push_back(std::move(prefix_alone));
      exchange_.give(std::move(open.translation));
      return;
    }
    open.missing = int64_t(sources.size());
    open.parts.resize(sources.size());
    for (size_t i = 0; i < sources.size(); ++i) {
      sources[i].push_back(tokenizers_.source().end_id());
      const int64_t tag = next_tag_++;
      places_[tag] = {line.number, i};
      Part part{tag, sources[i], {}};
      if (i == 0) part.beginning = beginning(prefix, line.number, int64_t(sources[i].size()));
      parts_.push_back(std::move(part));
    }
    if (options_.attention) open.sources = std::move(sources);
    open_.emplace(line.number, std::move(open));
  }

  // The text in UTF-8.
  std::string sound(const std::string& text, int64_t number, const char* what,
                    LineStatus& status) const {
    const auto at = find_invalid_utf8(text);
    if (!at) return text;
    if (options_.strict)
      fail("line {} of the {} is not UTF-8 at byte {}", number + 1, what, *at + 1);
    status.repaired = true;
    return replace_invalid_utf8(text);
  }

  // The parts of a text, each short enough for the model; none where there is nothing in it.
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
    // A lone character may still have more tokens than the model has positions.
    for (auto& source : sources)
      if (int64_t(source.size()) >= search_.source_limit()) {
        source.resize(size_t(search_.source_limit()) - 1);
        status.cut = true;
      }
    std::erase_if(sources, [](const auto& source) { return source.empty(); });
    return sources;
  }

  // Of a line whose first part has so many tokens.
  Beginning beginning(const std::string& prefix, int64_t number, int64_t source_length) const {
    if (prefix.empty()) return {};
    prefix_ids(prefix, number, search_.target_limit(source_length));
    return prefixes_.beginning(prefix);
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

  void collect(Found found) {
    const auto place = places_.extract(found.tag).mapped();
    Open& open = open_.at(place.first);
    open.parts[place.second] = std::move(found);
    if (--open.missing > 0) return;
    finish(open);
    exchange_.give(std::move(open.translation));
    open_.erase(place.first);
  }

  // Joins the parts' candidates, first with first, second with second.
  void finish(Open& open) {
    size_t count = SIZE_MAX;
    for (const Found& part : open.parts) count = std::min(count, part.candidates.size());
    for (size_t n = 0; n < count; ++n) {
      Alternative alternative;
      std::vector<std::string> texts;
      for (const Found& part : open.parts) {
        const Candidate& c = part.candidates[n];
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
    // Samples come in the order of their numbers.
    std::stable_sort(open.translation.alternatives.begin(), open.translation.alternatives.end(),
                     [](const Alternative& a, const Alternative& b) { return a.score > b.score; });
  }

  // The attention of the first `count` candidates, part behind part.
  void align(Open& open, size_t count) {
    for (size_t i = 0; i < open.parts.size(); ++i) {
      const std::vector<std::string> pieces = tokenizers_.source().pieces(open.sources[i]);
      auto& all = open.translation.source_pieces;
      const size_t before = all.size();
      all.insert(all.end(), pieces.begin(), pieces.end());
      std::vector<std::vector<TokenId>> targets;
      for (size_t n = 0; n < count; ++n) targets.push_back(open.parts[i].candidates[n].ids);
      std::vector<AttentionWeights> weights = aligner_.weights(open.sources[i], targets);
      for (size_t n = 0; n < count; ++n)
        append(open.translation.alternatives[n].attention, std::move(weights[n]), before);
    }
  }

  const TokenizerPair& tokenizers_;
  const DecodeOptions& options_;
  const Prefixes& prefixes_;
  Exchange& exchange_;
  Search search_;
  Aligner aligner_;
  const int64_t limit_;  // source tokens of a part: half the positions leave room for the target
  std::deque<Part> parts_;
  std::map<int64_t, Open> open_;
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
  Exchange exchange(emit, workers);
  const Prefixes prefixes(tokenizers_.target());
  const auto work = [&] {
    try {
      Worker(model_, tokenizers_, backend_, options_, prefixes, exchange).run();
    } catch (...) {
      exchange.fail_with(std::current_exception());
    }
  };
  std::vector<std::thread> threads;
  try {
    while (!exchange.failed()) {
      if (wait && !wait(kGlance)) continue;
      std::optional<Input> line = next();
      if (!line || !exchange.put(std::move(*line))) break;
      const int running = int(threads.size());
      if (running < workers) start_thread(threads, {.running = running, .wanted = workers}, work);
    }
  } catch (...) {
    exchange.fail_with(std::current_exception());
  }
  exchange.close();
  for (std::thread& thread : threads) thread.join();
  exchange.rethrow();
}

void Translator::translate_here(const Next& next, const Emit& emit) const {
  Exchange exchange(emit, next);
  const Prefixes prefixes(tokenizers_.target());
  Worker(model_, tokenizers_, backend_, options_, prefixes, exchange).run();
  exchange.rethrow();
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
