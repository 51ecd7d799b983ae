#include "heed/text/batches.h"

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
  PairLength length;
  uint32_t pair;
  friend bool operator<(const Keyed& a, const Keyed& b) {
    if (a.length.target != b.length.target) return a.length.target < b.length.target;
    if (a.length.source != b.length.source) return a.length.source < b.length.source;
    return a.pair < b.pair;
  }
};

// Decides where one batch ends and the next begins.
class Cutter {
 public:
  explicit Cutter(const BatchOptions& options) : options_(options) { validate(options); }

  // Whether this pair must begin a new batch. Adds it to the current or the new one.
  bool begins(uint32_t pair, PairLength length) {
    const int64_t source = int64_t{length.source} + 1;
    const int64_t target = int64_t{length.target} + 1;
    bool full = pairs_ == 0;
    if (options_.batch_sentences > 0) {
      full = full || pairs_ == options_.batch_sentences;
    } else {
      if (std::max(source, target) > options_.batch_tokens) {
        fail(
            "pair {} has {} source and {} target tokens, more than a batch may have ({}); raise "
            "--batch-tokens or lower --max-sentence-tokens",
            pair + 1, source, target, options_.batch_tokens);
      }
      full = full || source_ + source > options_.batch_tokens ||
             target_ + target > options_.batch_tokens;
    }
    if (full) pairs_ = source_ = target_ = 0;
    ++pairs_;
    source_ += source;
    target_ += target;
    return full;
  }

 private:
  BatchOptions options_;
  int64_t pairs_ = 0, source_ = 0, target_ = 0;  // of the current batch
};

}  // namespace

LengthOf lengths_of(const Corpus& corpus) {
  return [&corpus](int64_t pair) { return corpus.length(pair); };
}

BatchPlan::BatchPlan(int64_t pairs) {
  check(pairs >= 0 && pairs < std::numeric_limits<uint32_t>::max(), "too many pairs to plan");
  pairs_.resize(size_t(pairs));
  std::iota(pairs_.begin(), pairs_.end(), 0u);
}

void BatchPlan::cut(const LengthOf& length, const BatchOptions& options) {
  Cutter cutter(options);
  for (size_t i = 0; i < pairs_.size(); ++i)
    if (cutter.begins(pairs_[i], length(pairs_[i]))) begin_.push_back(uint32_t(i));
  begin_.push_back(uint32_t(pairs_.size()));
}

BatchPlan BatchPlan::shuffled(int64_t pairs, const LengthOf& length, const BatchOptions& options,
                              uint64_t seed, int64_t epoch) {
  BatchPlan plan(pairs);
  Random(detail::mix(seed, uint64_t(epoch))).shuffle(plan.pairs_);
  plan.cut(length, options);
  return plan;
}

BatchPlan BatchPlan::sorted(int64_t pairs, const LengthOf& length, const BatchOptions& options) {
  BatchPlan plan(pairs);
  std::vector<Keyed> keys;
  keys.reserve(plan.pairs_.size());
  for (const uint32_t pair : plan.pairs_) keys.push_back({length(pair), pair});
  std::sort(keys.begin(), keys.end());
  std::transform(keys.begin(), keys.end(), plan.pairs_.begin(),
                 [](const Keyed& key) { return key.pair; });
  plan.cut(length, options);
  return plan;
}

std::span<const uint32_t> BatchPlan::batch(int64_t i) const {
  check(i >= 0 && i < size(), "batch outside the plan");
  const uint32_t begin = begin_[size_t(i)], end = begin_[size_t(i) + 1];
  return std::span(pairs_).subspan(begin, end - begin);
}

std::vector<std::vector<uint32_t>> shards(std::span<const uint32_t> batch, const LengthOf& length,
                                          int count) {
  check(count >= 1 && std::has_single_bit(unsigned(count)), "shards come in powers of two");
  std::vector<int64_t> tokens;
  for (const uint32_t pair : batch) {
    const PairLength found = length(pair);
    tokens.push_back(int64_t{found.source} + found.target + 2);
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
