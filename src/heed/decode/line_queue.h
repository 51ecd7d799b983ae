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
  // `emit` must outlive the queue.
  LineQueue(const EmitTranslation& emit, int workers) : emit_(emit), workers_{workers} {}

  // Called by the reader; waits for room. False after a failure.
  bool push(TranslationInput input);
  void close();

  // Called once by each worker, before pop().
  void add_worker();
  enum class IfNone { wait, return_empty };
  // Called by workers. Returns an empty vector at the end of the input and, with return_empty, if
  // idle workers suffice for all waiting lines.
  std::vector<QueuedLine> pop(IfNone if_none);
  // Called by workers. Emits the translation as soon as all before it are emitted.
  void complete(Translation translation);

  // Wakes and ends the reader and the workers; the first error is kept.
  void fail_with(const std::exception_ptr& error);
  bool failed();
  // Throws the error of fail_with(), if any.
  void rethrow();

 private:
  struct Workers {
    int wanted;
    int busy = 0;  // those of add_worker() that do not wait in pop()
  };
  // The bytes of each line that was pushed and is not emitted yet.
  struct Backlog {
    std::deque<int64_t> lines;
    int64_t bytes = 0;  // the sum

    bool has_room() const;
    void add(int64_t size);
    void remove_first();
  };

  const EmitTranslation& emit_;
  Workers workers_;
  std::mutex mutex_;
  std::condition_variable work_, room_;
  std::deque<QueuedLine> waiting_;
  std::map<int64_t, Translation> done_;
  int64_t emitted_ = 0;  // lines
  Backlog backlog_;
  bool closed_ = false, emitting_ = false;
  std::exception_ptr error_;
};

}  // namespace heed
