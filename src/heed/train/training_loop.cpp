#include "heed/train/training_loop.h"

#include <algorithm>

namespace heed {

bool defers_gradients(const Tuning& tuning, const LoopOptions& options,
                      const std::vector<Linear>& layers, const Dataset& data) {
  if (!tuning.defers_gradients || options.clip_norm > 0 || layers.empty()) return false;
  int64_t narrowest = layers.front().weight.columns();
  for (const Linear& layer : layers) narrowest = std::min(narrowest, layer.weight.columns());
  const BatchOptions& batches = options.batches;
  // In doubles: the options have no limit that would keep the product within 64 bits.
  const double tokens = batches.batch_sentences > 0
                            ? double(batches.batch_sentences) * double(longest_side(data))
                            : double(batches.tokens());
  return DeferredGradients::is_faster(tokens * double(options.accumulate), narrowest);
}

TrainingLoop::TrainingLoop(Task& task, const Dataset& data, const LoopOptions& options,
                           LoopPosition& position, Backend& backend, Workers& workers)
    : task_(task),
      data_(data),
      options_(options),
      position_(position),
      backend_(backend),
      workers_(workers),
      gradients_(task.parameters(), task.linear_layers(), backend, workers),
      adam_(task.parameters(), backend, workers, options.ema),
      defers_gradients_(defers_gradients(backend.tuning(), options, task.linear_layers(), data)) {}

double TrainingLoop::epochs() const {
  const double fraction = epoch_ ? double(position_.batch) / double(epoch_->size()) : 0;
  return double(position_.epoch) + fraction;
}

void TrainingLoop::open_epoch() {
  if (epoch_) return;
  epoch_ = BatchPlan::shuffled(data_, options_.batches, options_.seed, position_.epoch);
  epoch_batches_ = epoch_->size();
}

void TrainingLoop::end_epoch() {
  if (position_.batch == 0) return;
  ++position_.epoch;
  position_.batch = 0;
  epoch_.reset();
}

void TrainingLoop::pack() {
  heed::pack(adam_.parameters(), backend_, Purpose::training, &workers_);
}

// On all workers, since a dataset may have to compute its examples.
std::vector<Example> TrainingLoop::examples_of(int64_t batch) {
  constexpr int64_t kTogether = 16;
  const std::span<const uint32_t> numbers = epoch_->batch(batch);
  std::vector<Example> examples(numbers.size());
  const auto count = int64_t(numbers.size());
  workers_.run((count + kTogether - 1) / kTogether, [&](int64_t task, int) {
    const int64_t begin = task * kTogether;
    std::ranges::move(
        data_.examples(position_.epoch,
                       numbers.subspan(size_t(begin), size_t(std::min(kTogether, count - begin)))),
        examples.begin() + begin);
  });
  return examples;
}

StepResult TrainingLoop::step(AdamStep adam) {
  open_epoch();
  if (position_.batch == 0) position_.epoch_loss = {};
  StepResult result;
  result.batches = step_batches();
  std::vector<std::vector<std::vector<Example>>> parts;  // [batch][shard]
  ExampleSize tokens;
  for (int64_t i = 0; i < result.batches; ++i) {
    const ExampleSize of_batch = epoch_->tokens(position_.batch + i);
    parts.push_back(shards(examples_of(position_.batch + i), int(options_.shards)));
    tokens.source += of_batch.source;
    tokens.target += of_batch.target;
  }
  GradientTree::Request request;
  request.batches = result.batches;
  request.shards = options_.shards;
  constexpr uint64_t kDropoutStream = 0xD0;
  request.seed = detail::mix(detail::mix(options_.seed, kDropoutStream), uint64_t(position_.step));
  request.loss = [&](ForwardPass& pass, int64_t batch, int64_t shard) {
    return task_.loss(pass, parts[size_t(batch)][size_t(shard)], 1.0 / double(tokens.target));
  };
  if (defers_gradients_)
    request.consume = [&](size_t parameter, int64_t begin, const Tensor& gradient) {
      adam_.update_part(adam, parameter, begin, gradient);
    };
  result.loss = gradients_.compute(request);
  result.gradient_norm = gradients_.norm();
  result.tokens = 0.5 * double(tokens.source + tokens.target);
  if (!result.is_finite()) return result;
  if (options_.clip_norm > 0 && result.gradient_norm > options_.clip_norm)
    adam.gradient_scale = options_.clip_norm / result.gradient_norm;
  adam_.update(adam, gradients_.gradient(), gradients_.offsets());
  pack();
  ++position_.step;
  position_.batch += result.batches;
  position_.epoch_loss += result.loss;
  position_.tokens += result.tokens;
  if (position_.batch < epoch_->size()) return result;
  ++position_.epoch;
  position_.batch = 0;
  epoch_.reset();
  return result;
}

Loss loss_of(const Task& task, const Dataset& data, const BatchOptions& batches, Backend& backend,
             Workers& workers) {
  const BatchPlan plan = BatchPlan::sorted(data, batches);
  std::vector<Loss> losses(size_t(plan.size()));
  std::vector<TensorPool> pools = make_tensor_pools(workers.count(), backend.memory());
  workers.run(plan.size(), [&](int64_t i, int worker) {
    ForwardPass pass(backend, pools[size_t(worker)]);
    losses[size_t(i)] = task.loss(pass, data.examples(0, plan.batch(i)), 0);
  });
  Loss sum;
  for (const Loss& loss : losses) sum += loss;
  return sum;
}

Validation validate(const Task& task, const Dataset& data, const BatchOptions& batches,
                    Backend& backend, Workers& workers) {
  return {loss_of(task, data, batches, backend, workers), task.scores(backend)};
}

}  // namespace heed
