// The assignment of pairs to batches, and the order of batches.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heed/text/batch_options.h"
#include "heed/text/corpus.h"

namespace heed {

// The number of tokens of pair i, without </s>.
using LengthOf = std::function<PairLength(int64_t pair)>;
LengthOf lengths_of(const Corpus& corpus);

// The batches of one epoch. Needs 4 bytes of memory per pair: 160 MB for 40 million.
class BatchPlan {
 public:
  // A function of its arguments alone: a permutation of the pairs, cut into batches. Other toolkits
  // bucket pairs by length to reduce padding; there is no padding here, so a batch is a random
  // sample and its gradient is not biased towards a length (docs/performance.md). Every pair is in
  // exactly one batch.
  // Error: a pair that alone exceeds batch_tokens.
  static BatchPlan shuffled(int64_t pairs, const LengthOf& length, const BatchOptions& options,
                            uint64_t seed, int64_t epoch);
  // All pairs from the shortest to the longest target: for validation.
  static BatchPlan sorted(int64_t pairs, const LengthOf& length, const BatchOptions& options);

  int64_t size() const { return int64_t(begin_.size()) - 1; }
  // The pairs of batch i.
  std::span<const uint32_t> batch(int64_t i) const;

 private:
  explicit BatchPlan(int64_t pairs);
  void cut(const LengthOf& length, const BatchOptions& options);

  std::vector<uint32_t> pairs_;  // batch after batch
  std::vector<uint32_t> begin_;  // [batches + 1] into pairs_
};

// Divides a batch into `count` shards (a power of two) of nearly equal numbers of tokens: a
// function of the arguments alone, so that gradients can be added in one fixed tree on any number
// of threads. Shards of a batch with few pairs may be empty.
std::vector<std::vector<uint32_t>> shards(std::span<const uint32_t> batch, const LengthOf& length,
                                          int count);

}  // namespace heed
