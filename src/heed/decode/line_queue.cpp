#include "heed/decode/line_queue.h"

#include <algorithm>

namespace heed {
namespace {

// Limits on the lines between reading and emitting. A single line may have more bytes.
constexpr int64_t kMaxLines = 8192, kMaxBytes = 16 << 20;

// Maximum number of lines that a worker pops at a time.
constexpr size_t kMaxPopped = 64;

}  // namespace

bool LineQueue::push(TranslationInput input) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return error_ || backlog_.has_room(); });
  if (error_) return false;
  const int64_t number = emitted_ + int64_t(backlog_.lines.size());
  backlog_.add(int64_t(input.text.size() + input.prefix.size()));
  waiting_.push_back({number, std::move(input)});
  work_.notify_one();
  return true;
}

void LineQueue::close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  work_.notify_all();
}

void LineQueue::add_worker() {
  std::lock_guard lock(mutex_);
  ++workers_.busy;
}

std::vector<QueuedLine> LineQueue::pop(IfNone if_none) {
  std::unique_lock lock(mutex_);
  if (if_none == IfNone::wait) {
    --workers_.busy;
    work_.wait(lock, [&] { return error_ || closed_ || !waiting_.empty(); });
    ++workers_.busy;
  }
  std::vector<QueuedLine> lines;
  if (error_) return lines;
  // Lines are left for threads that are about to wake or to start.
  const int others = workers_.wanted - workers_.busy;
  if (if_none == IfNone::return_empty && int64_t(waiting_.size()) <= others) return lines;
  // Only a share, so that one worker does not pop all of the last lines.
  const size_t share = (waiting_.size() + size_t(workers_.wanted) - 1) / size_t(workers_.wanted);
  for (size_t i = 0; i < std::min(share, kMaxPopped); ++i) {
    lines.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return lines;
}

void LineQueue::complete(Translation translation) {
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
    backlog_.remove_first();
    room_.notify_one();
  }
  emitting_ = false;
}

void LineQueue::fail_with(const std::exception_ptr& error) {
  std::lock_guard lock(mutex_);
  if (!error_) error_ = error;
  work_.notify_all();
  room_.notify_all();
}

bool LineQueue::failed() {
  std::lock_guard lock(mutex_);
  return error_ != nullptr;
}

void LineQueue::rethrow() {
  std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
}

bool LineQueue::Backlog::has_room() const {
  return lines.empty() || (int64_t(lines.size()) < kMaxLines && bytes < kMaxBytes);
}

void LineQueue::Backlog::add(int64_t size) {
  lines.push_back(size);
  bytes += size;
}

void LineQueue::Backlog::remove_first() {
  bytes -= lines.front();
  lines.pop_front();
}

}  // namespace heed
