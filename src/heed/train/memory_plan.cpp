#include "heed/train/memory_plan.h"

#include <algorithm>

#include "heed/backend/shape_backend.h"
#include "heed/train/gradients.h"

namespace heed {
namespace {

// The first epoch's batches that are looked at, each a fair sample of the text, and how many of
// their shards are run: the first as they come, since what a pool holds depends on the order, and
// the largest.
constexpr int64_t kBatches = 1000;
constexpr size_t kFirst = 32, kLargest = 8;

int threads_of(const TrainOptions& options) {
  return int(options.threads.value_or(available_threads()));
}

std::vector<std::vector<uint32_t>> typical_shards(const TrainOptions& options,
                                                  const Corpus& corpus) {
  const LengthOf length = lengths_of(corpus);
  const BatchPlan plan = batches_of_epoch(options, corpus, 0);
  std::vector<std::vector<uint32_t>> chosen;
  std::vector<std::pair<int64_t, std::vector<uint32_t>>> largest;  // by tokens
  for (int64_t i = 0; i < std::min(plan.size(), kBatches); ++i) {
    for (auto& shard : shards(plan.batch(i), length, int(options.shards))) {
      if (chosen.size() < kFirst) chosen.push_back(shard);
      int64_t tokens = 0;
      for (const uint32_t pair : shard) tokens += length(pair).source + length(pair).target + 2;
      largest.emplace_back(tokens, std::move(shard));
    }
    std::ranges::sort(largest, std::greater());
    if (largest.size() > kLargest) largest.resize(kLargest);
  }
  for (auto& [tokens, shard] : largest) chosen.push_back(std::move(shard));
  return chosen;
}

// The bytes of one thread's activations, and of one gradient of everything.
void count_shards(const TrainOptions& options, const Corpus& corpus, Transformer& shapes,
                  int64_t& activations, int64_t& gradient) {
  const auto backend = make_shape_backend();
  Workers one(1);
  GradientTree tree(shapes, *backend, one, Pool::Blocks::counted);
  const auto chosen = typical_shards(options, corpus);
  GradientTree::Request request;
  request.shards = int64_t(chosen.size());
  request.label_smoothing = options.label_smoothing;
  request.examples = [&](int64_t i) {
    return examples_of(corpus, chosen[size_t(i)], shapes.config());
  };
  tree.compute(request);
  activations = tree.pool_bytes();
  gradient = tree.gradient().byte_count();
}

}  // namespace

int64_t MemoryPlan::growth() const {
  return weights + moments + average + packed + gradients + activations;
}

std::string to_string(const MemoryPlan& plan) {
  std::string text = memory_text(plan.total()) + ":";
  const char* separator = " ";
  for (const auto& [bytes, what] :
       {std::pair(plan.weights, "weights"), std::pair(plan.packed, "packed for products"),
        std::pair(plan.moments, "moments"), std::pair(plan.average, "moving average"),
        std::pair(plan.gradients, "gradients"), std::pair(plan.activations, "activations"),
        std::pair(plan.held, "program and text")}) {
    if (bytes == 0) continue;
    text += fmt::format("{}{} {}", separator, what, memory_text(bytes));
    separator = ", ";
  }
  if (plan.before > plan.total())
    text += fmt::format("; before the first step {}", memory_text(plan.before));
  return text;
}

MemoryPlan plan_memory(const TrainOptions& options, const ModelConfig& config,
                       const Backend& backend, const Corpus& corpus) {
  Transformer shapes(config, DType::f32, Values::none);
  MemoryPlan plan;
  return_freed_memory();
  plan.held = resident_bytes();
  plan.before = peak_resident_bytes();
  int64_t widest = 0;
  for (const Parameter& p : parameters(shapes)) {
    plan.weights += p.tensor.byte_count();
    if (p.tensor.shape().size() != 2) continue;
    plan.packed += backend.prepared_bytes(p.tensor, Passes::both);
    widest = std::max(widest, p.tensor.columns());
  }
  plan.moments = 2 * plan.weights;
  if (options.ema) plan.average = plan.weights;
  plan.weights += config.max_positions * config.d_model * size_of(DType::f32);
  int64_t gradient = 0;
  count_shards(options, corpus, shapes, plan.activations, gradient);
  plan.activations += backend.scratch_bytes(widest);
  plan.activations *= threads_of(options);
  plan.gradients =
      gradient * GradientTree::buffers(options.shards * options.accumulate, threads_of(options));
  return plan;
}

namespace {

// The fewest tokens that a batch may be allowed: the longest side of a pair, </s> included.
int64_t longest_side(const Corpus& corpus) {
  int64_t longest = 1;
  for (int64_t i = 0; i < corpus.size(); ++i) {
    const PairLength length = corpus.length(i);
    longest = std::max<int64_t>(longest, std::max(length.source, length.target) + 1);
  }
  return longest;
}

// The largest size of a batch, below the one that does not fit, whose plan grows by at most `room`;
// nothing if not even `least` fits.
std::optional<int64_t> largest_fitting(int64_t least, int64_t too_large, int64_t room,
                                       const std::function<int64_t(int64_t)>& growth_of) {
  if (least >= too_large || growth_of(least) > room) return {};
  int64_t fits = least;
  while (too_large - fits > std::max<int64_t>(1, fits / 20)) {
    const int64_t middle = fits + (too_large - fits) / 2;
    (growth_of(middle) <= room ? fits : too_large) = middle;
  }
  return fits;
}

}  // namespace

void require_fit(const MemoryPlan& plan, const MemoryLimit& limit, const BatchOptions& batches,
                 const Corpus& corpus,
                 const std::function<MemoryPlan(const BatchOptions&)>& plan_for) {
  if (plan.growth() <= limit.bytes) return;
  const bool by_tokens = batches.batch_sentences == 0;
  const auto fitting = largest_fitting(
      by_tokens ? longest_side(corpus) : 1,
      by_tokens ? batches.batch_tokens : batches.batch_sentences, limit.bytes, [&](int64_t size) {
        BatchOptions sized = batches;
        (by_tokens ? sized.batch_tokens : sized.batch_sentences) = size;
        return plan_for(sized).growth();
      });
  const char* flag = by_tokens ? "--batch-tokens" : "--batch-sentences";
  fail("the training needs {} more memory and {} has {} left ({}); {}", memory_text(plan.growth()),
       limit.source, memory_text(limit.bytes), to_string(plan),
       fitting ? fmt::format("{} {} would fit", flag, *fitting)
               : fmt::format("no {} would fit: try a smaller model or fewer --threads", flag));
}

}  // namespace heed
