#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "open_model.h"

namespace heed::python {
namespace {

// The most that is under way before popping waits: enough for all threads, whatever the lengths.
constexpr int64_t kMaxLines = 2048;
constexpr size_t kMaxBytes = 1 << 20;

// Ends a translation whose caller has lost interest.
struct Closed {};

}  // namespace

struct TranslationStream::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<TranslationInput> inputs;
  std::deque<Translation> outputs;
  std::deque<size_t> bytes;  // of each line that is under way
  size_t bytes_under_way = 0;
  bool ended = false, closed = false, finished = false;
  std::exception_ptr error;
  std::thread thread;

  // On the thread that computes.
  void run(const Translator& translator) {
    try {
      translator.translate([this] { return next(); }, [this](const Translation& t) { emit(t); },
                           [this](std::chrono::milliseconds time) { return wait(time); });
    } catch (const Closed&) {
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    finished = true;
    changed.notify_all();
  }

  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, time, [&] { return !inputs.empty() || ended || closed; });
    if (closed) throw Closed();
    return !inputs.empty() || ended;
  }

  std::optional<TranslationInput> next() {
    const std::lock_guard lock(mutex);
    if (closed) throw Closed();
    if (inputs.empty()) return {};
    TranslationInput input = std::move(inputs.front());
    inputs.pop_front();
    return input;
  }

  void emit(const Translation& translation) {
    const std::lock_guard lock(mutex);
    if (closed) throw Closed();
    outputs.push_back(translation);
    changed.notify_all();
  }
};

TranslationStream::TranslationStream(std::shared_ptr<const OpenModel> model,
                                     const DecodeOptions& options)
    : model_(std::move(model)), state_(std::make_unique<State>()) {
  const auto translator = model_->model().kept_translator(options);
  state_->thread = std::thread([state = state_.get(), translator] { state->run(*translator); });
}

TranslationStream::~TranslationStream() {
  if (process_.is_this()) {
    close();
  } else {
    state_->thread.detach();
    static_cast<void>(state_.release());
  }
}

void TranslationStream::push(TranslationInput input) {
  process_.expect_this("iterator of translations");
  const std::lock_guard lock(state_->mutex);
  state_->bytes.push_back(input.text.size());
  state_->bytes_under_way += input.text.size();
  state_->inputs.push_back(std::move(input));
  state_->changed.notify_all();
}

void TranslationStream::end() {
  const std::lock_guard lock(state_->mutex);
  state_->ended = true;
  state_->changed.notify_all();
}

bool TranslationStream::is_full() const {
  const std::lock_guard lock(state_->mutex);
  return int64_t(state_->bytes.size()) >= kMaxLines || state_->bytes_under_way >= kMaxBytes;
}

std::optional<Translation> TranslationStream::pop(Wait wait) {
  process_.expect_this("iterator of translations");
  SignalCheck check_signals;
  std::unique_lock lock(state_->mutex);
  while (state_->outputs.empty()) {
    if (state_->error) std::rethrow_exception(state_->error);
    if (state_->finished || wait == Wait::no) return {};
    state_->changed.wait_for(lock, std::chrono::milliseconds(100));
    lock.unlock();
    check_signals();
    lock.lock();
  }
  Translation translation = std::move(state_->outputs.front());
  state_->outputs.pop_front();
  state_->bytes_under_way -= state_->bytes.front();
  state_->bytes.pop_front();
  return translation;
}

void TranslationStream::close() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
    state_->changed.notify_all();
  }
  if (state_->thread.joinable()) state_->thread.join();
}

}  // namespace heed::python
