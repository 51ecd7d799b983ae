// The queue between the reader of lines, the threads that translate them and emit().
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <vector>

#include "heed/decode/translation.h"

namespace heed {

struct QueuedLine {
  int64_t number;  // from 0
  TranslationInput input;
};

// Lines from the reader to the workers, and translations from the workers to emit(), in order.
// Bounded in lines and bytes, except that it always accepts a single line.
class LineQueue {
 public:
  // The arguments must outlive the queue.
  LineQueue(const EmitTranslation& emit, int workers) : emit_(emit), workers_(workers) {}
  // Without a reader: the only worker calls `next` itself.
  LineQueue(const EmitTranslation& emit, const NextInput& next)
      : emit_(emit), workers_(1), next_(&next) {}

  // Called by the reader; waits for room. False after a failure.
  bool push(TranslationInput input);
  void close();

  // Called once by each worker, before pop().
  void add_worker();
  enum class WhenEmpty { wait, return_none };
  // Called by workers. Returns an empty vector at the end of the input and, with return_none, if
  // idle workers suffice for all waiting lines.
  std::vector<QueuedLine> pop(WhenEmpty when_empty);
  // Called by workers. Emits the translation as soon as all before it are emitted.
  void complete(Translation translation);

  // Wakes and ends the reader and the workers; the first error is kept.
  void fail_with(const std::exception_ptr& error);
  bool failed();
  // Throws the error of fail_with(), if any.
  void rethrow();

 private:
  bool has_room() const;
  void append(TranslationInput input);
  void read_more();

  const EmitTranslation& emit_;
  const int workers_;
  const NextInput* const next_ = nullptr;
  int idle_ = 0;   // workers that wait in pop()
  int added_ = 0;  // workers that have called add_worker()
  std::mutex mutex_;
  std::condition_variable work_, room_;
  std::deque<QueuedLine> waiting_;
  std::map<int64_t, Translation> done_;
  int64_t number_ = 0, emitted_ = 0;  // lines appended and emitted
  std::deque<int64_t> sizes_;         // bytes of each line that is appended but not emitted
  int64_t bytes_ = 0;                 // the sum of sizes_
  bool closed_ = false, emitting_ = false;
  std::exception_ptr error_;
};

}  // namespace heed
