#include "heed/run/memory_plan.h"

#include <algorithm>
#include <utility>

#include "heed/backend/meta_backend.h"
#include "heed/model/sequence_model.h"
#include "heed/tasks/model_task.h"

namespace heed {
namespace {

// Only the first batches of the first epoch are considered, each a random sample of the text. Of
// their groups of shards the first ones are run in their order, since what a pool holds depends on
// it, and the largest.
constexpr int64_t kBatches = 1000;
constexpr size_t kFirst = 32, kLargest = 8;

// Shards whose activations a thread holds at the same time: one, or, if gradients are deferred, its
// share of a step's shards (for threads of equal speed).
using Group = std::vector<std::vector<Example>>;

class Sample {
 public:
  void add(Group group) {
    int64_t tokens = 0;
    for (const auto& shard : group)
      for (const Example& example : shard)
        tokens += size_of(example).source + size_of(example).target;
    if (tokens == 0) return;  // of a batch of fewer examples than shards
    if (first_.size() < kFirst) first_.push_back(group);
    largest_.emplace_back(tokens, std::move(group));
    std::ranges::stable_sort(largest_, std::greater(), [](const auto& each) { return each.first; });
    if (largest_.size() > kLargest) largest_.resize(kLargest);
  }

  std::vector<Group> take() && {
    for (auto& [tokens, group] : largest_) first_.push_back(std::move(group));
    return std::move(first_);
  }

 private:
  std::vector<Group> first_;
  std::vector<std::pair<int64_t, Group>> largest_;
};

std::vector<Group> typical_groups(const LoopOptions& options, const Dataset& data,
                                  int64_t group_size) {
  const BatchPlan plan = BatchPlan::shuffled(data, options.batches, options.seed, 0);
  Sample sample;
  Group group;
  for (int64_t i = 0; i < std::min(plan.size(), kBatches); ++i) {
    for (auto& shard : shards(data.examples(0, plan.batch(i)), int(options.shards))) {
      group.push_back(std::move(shard));
      if (int64_t(group.size()) == group_size) sample.add(std::exchange(group, {}));
    }
  }
  if (!group.empty()) sample.add(std::move(group));
  return std::move(sample).take();
}

// Computes the bytes of one thread's activations and of one full-size gradient.
void count_shards(const LoopOptions& options, const Tuning& tuning, int64_t threads, Task& shapes,
                  const Dataset& data, int64_t& activations, int64_t& gradient) {
  const auto backend = make_meta_backend();
  Workers one(1);
  GradientTree tree(shapes.parameters(), shapes.linear_layers(), *backend, one);
  GradientTree::Request request;
  const bool deferred = defers_gradients(tuning, options, shapes.linear_layers(), data);
  if (deferred) request.consume = [](size_t, int64_t, const Tensor&) {};
  const int64_t in_a_step = options.shards * options.accumulate;
  for (const Group& group :
       typical_groups(options, data, deferred ? (in_a_step + threads - 1) / threads : 1)) {
    request.shards = int64_t(group.size());
    request.loss = [&](ForwardPass& pass, int64_t, int64_t i) {
      return shapes.loss(pass, group[size_t(i)], 1);
    };
    tree.compute(request);
  }
  activations = tree.pool_bytes();
  gradient = tree.gradient().byte_count();
}

MemoryPlan plan_parameters(Ema ema, const std::vector<Parameter>& parameters,
                           const ModelConfig& config, const Backend& backend) {
  MemoryPlan plan;
  for (const Parameter& p : parameters) {
    plan.weights += p.tensor.byte_count();
    if (p.is_packed()) plan.packed_weights += backend.packed_bytes(p.tensor, Purpose::training);
  }
  plan.moments = 2 * plan.weights;
  if (ema == Ema::on) plan.ema = plan.weights;
  if (config.variants.positions == Positions::sinusoidal)
    plan.weights += config.max_positions * config.d_model * size_of(DType::fp32);
  return plan;
}

int64_t widest_packed(const std::vector<Parameter>& parameters) {
  int64_t widest = 0;
  for (const Parameter& p : parameters)
    if (p.is_packed()) widest = std::max(widest, p.tensor.columns());
  return widest;
}

}  // namespace

int64_t MemoryPlan::to_allocate() const {
  return weights + moments + ema + packed_weights + gradients + activations;
}

std::string to_string(const MemoryPlan& plan) {
  std::string text = memory_text(plan.total()) + ":";
  const char* separator = " ";
  for (const auto& [bytes, what] :
       {std::pair(plan.weights, "weights"), std::pair(plan.packed_weights, "packed for products"),
        std::pair(plan.moments, "moments"), std::pair(plan.ema, "moving average"),
        std::pair(plan.gradients, "gradients"), std::pair(plan.activations, "activations"),
        std::pair(plan.resident, "program and text")}) {
    if (bytes == 0) continue;
    text += fmt::format("{}{} {}", separator, what, memory_text(bytes));
    separator = ", ";
  }
  if (plan.peak_so_far > plan.total())
    text += fmt::format("; before the first step {}", memory_text(plan.peak_so_far));
  return text;
}

MemoryPlan plan_parameters(Ema ema, const ModelConfig& config, const Backend& backend) {
  auto shapes = shapes_of(config);
  return plan_parameters(ema, parameters(shapes), config, backend);
}

MemoryPlan plan_memory(const LoopOptions& options, int threads, const ModelConfig& config,
                       const Backend& backend, const Dataset& data) {
  constexpr double kAnySmoothing = 0;  // takes no memory
  const std::unique_ptr<ModelTask> made = make_task(shapes_of(config), kAnySmoothing, {}, nullptr);
  ModelTask& task = *made;
  MemoryPlan plan = plan_parameters(options.ema, task.parameters(), config, backend);
  return_freed_memory();
  plan.resident = resident_bytes();
  plan.peak_so_far = peak_resident_bytes();
  int64_t gradient = 0;
  count_shards(options, backend.tuning(), threads, task, data, plan.activations, gradient);
  plan.activations += backend.scratch_bytes(widest_packed(task.parameters()));
  plan.activations *= threads;
  plan.gradients = gradient * GradientTree::buffers(options.shards, threads);
  return plan;
}

namespace {

// The largest batch size below `too_large` whose plan allocates at most `room`; nothing if not even
// `least` fits.
std::optional<int64_t> largest_fitting(int64_t least, int64_t too_large, int64_t room,
                                       const std::function<int64_t(int64_t)>& allocation_of) {
  if (least >= too_large || allocation_of(least) > room) return {};
  int64_t fits = least;
  while (too_large - fits > std::max<int64_t>(1, fits / 20)) {
    const int64_t middle = fits + (too_large - fits) / 2;
    (allocation_of(middle) <= room ? fits : too_large) = middle;
  }
  return fits;
}

}  // namespace

void require_fit(const MemoryPlan& parameters, const MemoryLimit& limit) {
  if (parameters.to_allocate() <= limit.bytes) return;
  fail("the parameters alone need {} of memory and {} has {} left: try a smaller model",
       memory_text(parameters.to_allocate()), limit.source, memory_text(limit.bytes));
}

void require_fit(const MemoryPlan& plan, const MemoryLimit& limit, const BatchOptions& batches,
                 const Dataset& data,
                 const std::function<MemoryPlan(const BatchOptions&)>& plan_for) {
  if (plan.to_allocate() <= limit.bytes) return;
  const bool by_tokens = batches.batch_sentences == 0;
  const auto fitting = largest_fitting(by_tokens ? longest_side(data) : 1,
                                       by_tokens ? batches.tokens() : batches.batch_sentences,
                                       limit.bytes, [&](int64_t size) {
                                         BatchOptions sized = batches;
                                         if (by_tokens)
                                           sized.batch_tokens = size;
                                         else
                                           sized.batch_sentences = size;
                                         return plan_for(sized).to_allocate();
                                       });
  const char* flag = by_tokens ? "--batch-tokens" : "--batch-sentences";
  fail("training needs {} more memory and {} has {} left ({}); {}", memory_text(plan.to_allocate()),
       limit.source, memory_text(limit.bytes), to_string(plan),
       fitting ? fmt::format("{} {} would fit", flag, *fitting)
               : fmt::format("no {} would fit: try a smaller model or fewer --threads", flag));
}

}  // namespace heed
