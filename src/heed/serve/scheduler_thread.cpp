#include "heed/serve/scheduler_thread.h"

#include <algorithm>
#include <limits>

namespace heed::detail {
namespace {

// The likely need of a line of this many bytes, or of each part of it.
SearchRoom likely_need(const TranslationSetup& setup, size_t bytes) {
  const LikelyTokens tokens = likely_tokens(setup, bytes);
  const int64_t hypotheses = setup.options.search.hypothesis_count();
  return {tokens.source, tokens.target * hypotheses, std::max(hypotheses, tokens.prompt + 1)};
}

}  // namespace

ModelBatch* find_batch(std::vector<ModelBatch>& batches, const ServedModel& model) {
  const auto found = std::ranges::find_if(
      batches, [&](const ModelBatch& b) { return b.held->model.get() == &model; });
  return found == batches.end() ? nullptr : &*found;
}

int64_t SchedulerThread::running() const {
  int64_t all = 0;
  for (const ModelBatch& b : batches) all += int64_t(b.running.size());
  return all;
}

bool ThreadRoom::accepts(const Job& job) {
  if (has_task_) return false;
  if (job.task) return true;
  const TranslationSetup& setup = *job.request.lines[job.next].setup;
  ModelRoom& left = room_for(*setup.model);
  if (left.empty) return true;
  const SearchRoom needed = likely_need(setup, job.request.lines[job.next].input.text.size());
  left.accepts = left.accepts && needed.source_tokens <= left.room.source_tokens &&
                 needed.target_rows <= left.room.target_rows &&
                 needed.step_rows <= left.room.step_rows;
  return left.accepts;
}

void ThreadRoom::take(const WaitingJobs::Turn& turn) {
  if (turn.job->task) {
    has_task_ = true;
    return;
  }
  const TranslationSetup& setup = *turn.job->request.lines[turn.index].setup;
  ModelRoom& left = room_for(*setup.model);
  left.empty = false;
  left.room -= likely_need(setup, turn.input.text.size());
}

ThreadRoom::ModelRoom& ThreadRoom::room_for(const ServedModel& model) {
  for (ModelRoom& one : models_)
    if (one.model == &model) return one;
  const int64_t any = std::numeric_limits<int64_t>::max();
  ModelRoom one = {&model, true, true, {options_.batch_tokens, any, any}};
  if (const ModelBatch* batch = find_batch(batches_, model)) {
    one.accepts = batch->batch->has_room_beside_long_lines();
    one.empty = batch->running.empty();
    one.room = batch->batch->room();
  }
  return models_.emplace_back(one);
}

}  // namespace heed::detail
