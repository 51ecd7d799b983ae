#include "heed/data/batches.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "heed/core/error.h"
#include "heed/core/options.h"
#include "heed/core/rng.h"

namespace heed {

int64_t longest_side(const Dataset& data) {
  int64_t longest = 1;
  for (int64_t i = 0; i < data.size(); ++i) {
    const ExampleSize size = data.bound(i);
    longest = std::max({longest, size.source, size.target});
  }
  return longest;
}

BatchPlan::BatchPlan(std::vector<uint32_t> examples) : examples_(std::move(examples)) {
  check(examples_.size() < std::numeric_limits<uint32_t>::max(), "too many examples to plan");
}

void BatchPlan::cut(const Dataset& data, const BatchOptions& options, int64_t epoch) {
  validate(options);
  int64_t count = 0, source = 0, target = 0;  // of the current batch
  for (size_t i = 0; i < examples_.size(); ++i) {
    const ExampleSize size = data.size_in(epoch, examples_[i]);
    const bool by_tokens = options.batch_sentences == 0;
    if (by_tokens && std::max(size.source, size.target) > options.tokens()) {
      fail(
          "pair {} has {} source and {} target tokens, more than a batch may have ({}); raise "
          "--batch-tokens or lower --max-sentence-tokens",
          examples_[i] + 1, size.source, size.target, options.tokens());
    }
    const bool full = by_tokens ? source + size.source > options.tokens() ||
                                      target + size.target > options.tokens()
                                : count == options.batch_sentences;
    if (full || count == 0) {
      count = source = target = 0;
      begin_.push_back(uint32_t(i));
      tokens_.emplace_back();
    }
    ++count;
    source += size.source;
    target += size.target;
    tokens_.back() = {source, target};
  }
  begin_.push_back(uint32_t(examples_.size()));
}

BatchPlan BatchPlan::shuffled(const Dataset& data, const BatchOptions& options, uint64_t seed,
                              int64_t epoch) {
  BatchPlan plan(data.of_epoch(epoch));
  Random(detail::mix(seed, uint64_t(epoch))).shuffle(plan.examples_);
  plan.cut(data, options, epoch);
  return plan;
}

BatchPlan BatchPlan::sorted(const Dataset& data, const BatchOptions& options) {
  BatchPlan plan(data.of_epoch(0));
  std::vector<std::tuple<int64_t, int64_t, uint32_t>> keys;  // target, source, example
  keys.reserve(plan.examples_.size());
  for (const uint32_t example : plan.examples_) {
    const ExampleSize size = data.bound(example);
    keys.emplace_back(size.target, size.source, example);
  }
  std::sort(keys.begin(), keys.end());
  std::transform(keys.begin(), keys.end(), plan.examples_.begin(),
                 [](const auto& key) { return std::get<uint32_t>(key); });
  plan.cut(data, options, 0);
  return plan;
}

std::span<const uint32_t> BatchPlan::batch(int64_t i) const {
  check(i >= 0 && i < size(), "batch outside the plan");
  const uint32_t begin = begin_[size_t(i)], end = begin_[size_t(i) + 1];
  return std::span(examples_).subspan(begin, end - begin);
}

ExampleSize BatchPlan::tokens(int64_t i) const {
  check(i >= 0 && i < size(), "batch outside the plan");
  return tokens_[size_t(i)];
}

std::vector<std::vector<Example>> shards(std::vector<Example> batch, int count) {
  check(count >= 1 && std::has_single_bit(unsigned(count)), "shards come in powers of two");
  std::vector<int64_t> tokens;
  tokens.reserve(batch.size());
  for (const Example& example : batch) {
    const ExampleSize size = size_of(example);
    tokens.push_back(size.source + size.target);
  }
  // The longest first, each to the shard with the fewest tokens.
  std::vector<size_t> by_length(batch.size());
  std::iota(by_length.begin(), by_length.end(), size_t{0});
  std::stable_sort(by_length.begin(), by_length.end(),
                   [&](size_t a, size_t b) { return tokens[a] > tokens[b]; });
  std::vector<int64_t> load(size_t(count), 0);
  std::vector<size_t> shard_of(batch.size());
  for (const size_t position : by_length) {
    const auto least = size_t(std::min_element(load.begin(), load.end()) - load.begin());
    load[least] += tokens[position];
    shard_of[position] = least;
  }
  std::vector<std::vector<Example>> result(static_cast<size_t>(count));
  for (size_t i = 0; i < batch.size(); ++i) result[shard_of[i]].push_back(std::move(batch[i]));
  return result;
}

}  // namespace heed
