// A thread of the scheduler: a batch of lines for each model.
#pragma once

#include "heed/decode/line_batch.h"
#include "heed/serve/waiting_jobs.h"

namespace heed::detail {

// A model that threads have batches of. All of them share this object, so that the scheduler has a
// single reference to the model.
struct HeldModel {
  std::shared_ptr<const ServedModel> model;
  // Whether only the scheduler keeps the model alive.
  bool unused() const { return model.use_count() == 1; }
};

// A line in a batch.
struct RunningLine {
  std::shared_ptr<Job> job;
  size_t index = 0;  // in its request
};

// A thread's lines of one model.
struct ModelBatch {
  std::shared_ptr<HeldModel> held;
  std::unique_ptr<LineBatch> batch;
  std::map<int64_t, RunningLine> running;  // by id in the batch
  int64_t next_id = 0;
  int64_t source_tokens = 0, target_tokens = 0;  // of `batch`, when they were last reported
  bool failed = false;
};

// Null if there is none of this model.
ModelBatch* find_batch(std::vector<ModelBatch>& batches, const ServedModel& model);

struct SchedulerThread {
  // Guarded by the scheduler's mutex:
  int64_t load = 0;  // lines and tasks taken and not ended, as of the last time between two steps
  int64_t reserved_rows = 0, cache_rows = 0;
  bool idle = true;
  bool full = false;     // something waits that it has no room for
  bool in_task = false;  // it has taken a turn of a task
  TimePoint seen;        // when it was between two steps

  // Its own:
  std::vector<ModelBatch> batches;
  std::vector<WaitingJobs::Turn> taken;
  // The time that the last turn of a task took, less that of the decoding steps since. While the
  // thread has lines, it takes no further task until this is 0, so that decoding gets as much time.
  TimePoint::duration task_time{0};

  int64_t running() const;
};

// The room that a thread has for more lines between two steps, by their estimated lengths.
class ThreadRoom {
 public:
  // Both must outlive this.
  ThreadRoom(std::vector<ModelBatch>& batches, const SchedulerOptions& options)
      : batches_(batches), options_(options) {}

  // Whether there is room for the next turn of a job. Called in the order of turns: once there is
  // none for a line, there is none for other lines of its model, or short lines would keep a long
  // one waiting.
  bool accepts(const Job& job);
  // The thread takes a turn that was accepted.
  void take(const WaitingJobs::Turn& turn);

 private:
  struct ModelRoom {
    const ServedModel* model;
    bool accepts, empty;
    SearchRoom room;
  };

  ModelRoom& room_for(const ServedModel& model);

  std::vector<ModelBatch>& batches_;
  const SchedulerOptions& options_;
  std::vector<ModelRoom> models_;
  bool has_task_ = false;
};

}  // namespace heed::detail
