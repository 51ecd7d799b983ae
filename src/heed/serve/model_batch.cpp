#include "heed/serve/model_batch.h"

#include <algorithm>
#include <limits>

namespace heed::detail {
namespace {

// What a line of this many bytes is likely to need, or each part of it.
SearchRoom likely_need(const TranslationSetup& setup, size_t bytes) {
  const int64_t positions = setup.model->model().config().max_positions;
  const int64_t tokens = std::min(int64_t(bytes / 3) + 1, positions / 2);
  const SearchOptions& search = setup.options.search;
  return {tokens, max_target_length(search, tokens, positions) * search.hypothesis_count(),
          search.hypothesis_count()};
}

}  // namespace

ModelBatch* find_batch(std::vector<ModelBatch>& batches, const ServedModel& model) {
  const auto found = std::find_if(batches.begin(), batches.end(), [&](const ModelBatch& b) {
    return b.held->model.get() == &model;
  });
  return found == batches.end() ? nullptr : &*found;
}

bool ThreadRoom::accepts(const Job& job) {
  if (has_task_) return false;
  if (job.task) return true;
  const TranslationSetup& setup = job.request.setup_of(job.next);
  OfModel& left = of(*setup.model);
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
  const TranslationSetup& setup = turn.job->request.setup_of(turn.index);
  OfModel& left = of(*setup.model);
  const SearchRoom needed = likely_need(setup, turn.input.text.size());
  left.empty = false;
  left.room.source_tokens -= needed.source_tokens;
  left.room.target_rows -= needed.target_rows;
  left.room.step_rows -= needed.step_rows;
}

ThreadRoom::OfModel& ThreadRoom::of(const ServedModel& model) {
  for (OfModel& one : models_)
    if (one.model == &model) return one;
  const int64_t any = std::numeric_limits<int64_t>::max();
  OfModel one = {&model, true, true, {options_.batch_tokens, any, any}};
  if (const ModelBatch* batch = find_batch(batches_, model)) {
    one.accepts = batch->batch->has_room_beside_long_lines();
    one.empty = batch->running.empty();
    one.room = batch->batch->room();
  }
  return models_.emplace_back(one);
}

}  // namespace heed::detail
