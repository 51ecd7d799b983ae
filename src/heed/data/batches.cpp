#include "heed/data/batches.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "heed/core/error.h"
#include "heed/core/options.h"
#include "heed/core/rng.h"

namespace heed {
namespace {

struct Keyed {
  ExampleSize size;
  uint32_t example;
  friend bool operator<(const Keyed& a, const Keyed& b) {
    if (a.size.target != b.size.target) return a.size.target < b.size.target;
    if (a.size.source != b.size.source) return a.size.source < b.size.source;
    return a.example < b.example;
  }
};

// Decides where one batch ends and the next begins.
class Cutter {
 public:
  explicit Cutter(const BatchOptions& options) : options_(options) { validate(options); }

  // Whether this example must begin a new batch. Adds it to the current or the new one.
  bool begins(uint32_t example, const ExampleSize& size) {
    bool full = examples_ == 0;
    if (options_.batch_sentences > 0) {
      full = full || examples_ == options_.batch_sentences;
    } else {
      if (std::max(size.source, size.target) > options_.batch_tokens) {
        fail(
            "pair {} has {} source and {} target tokens, more than a batch may have ({}); raise "
            "--batch-tokens or lower --max-sentence-tokens",
            example + 1, size.source, size.target, options_.batch_tokens);
      }
      full = full || source_ + size.source > options_.batch_tokens ||
             target_ + size.target > options_.batch_tokens;
    }
    if (full) examples_ = source_ = target_ = 0;
    ++examples_;
    source_ += size.source;
    target_ += size.target;
    return full;
  }

 private:
  BatchOptions options_;
  int64_t examples_ = 0, source_ = 0, target_ = 0;  // of the current batch
};

}  // namespace

int64_t longest_side(const Dataset& data) {
  int64_t longest = 1;
  for (int64_t i = 0; i < data.size(); ++i) {
    const ExampleSize size = data.bound(i);
    longest = std::max({longest, size.source, size.target});
  }
  return longest;
}

BatchPlan::BatchPlan(int64_t examples) {
  check(examples >= 0 && examples < std::numeric_limits<uint32_t>::max(),
        "too many examples to plan");
  examples_.resize(size_t(examples));
  std::iota(examples_.begin(), examples_.end(), 0u);
}

void BatchPlan::cut(const Dataset& data, const BatchOptions& options) {
  Cutter cutter(options);
  for (size_t i = 0; i < examples_.size(); ++i)
    if (cutter.begins(examples_[i], data.bound(examples_[i]))) begin_.push_back(uint32_t(i));
  begin_.push_back(uint32_t(examples_.size()));
}

BatchPlan BatchPlan::shuffled(const Dataset& data, const BatchOptions& options, uint64_t seed,
                              int64_t epoch) {
  BatchPlan plan(data.size());
  Random(detail::mix(seed, uint64_t(epoch))).shuffle(plan.examples_);
  plan.cut(data, options);
  return plan;
}

BatchPlan BatchPlan::sorted(const Dataset& data, const BatchOptions& options) {
  BatchPlan plan(data.size());
  std::vector<Keyed> keys;
  keys.reserve(plan.examples_.size());
  for (const uint32_t example : plan.examples_) keys.push_back({data.bound(example), example});
  std::sort(keys.begin(), keys.end());
  std::transform(keys.begin(), keys.end(), plan.examples_.begin(),
                 [](const Keyed& key) { return key.example; });
  plan.cut(data, options);
  return plan;
}

std::span<const uint32_t> BatchPlan::batch(int64_t i) const {
  check(i >= 0 && i < size(), "batch outside the plan");
  const uint32_t begin = begin_[size_t(i)], end = begin_[size_t(i) + 1];
  return std::span(examples_).subspan(begin, end - begin);
}

std::vector<std::vector<uint32_t>> shards(std::span<const uint32_t> batch, const Dataset& data,
                                          int count) {
  check(count >= 1 && std::has_single_bit(unsigned(count)), "shards come in powers of two");
  std::vector<int64_t> tokens;
  for (const uint32_t example : batch) {
    const ExampleSize size = data.bound(example);
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
  std::vector<std::vector<uint32_t>> result(static_cast<size_t>(count));
  for (size_t i = 0; i < batch.size(); ++i) result[shard_of[i]].push_back(batch[i]);
  return result;
}

}  // namespace heed
