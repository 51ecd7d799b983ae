// The assignment of examples to batches, and the order of batches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/data/batch_options.h"
#include "heed/data/dataset.h"

namespace heed {

// The batches of one epoch, by the sizes that the examples have in it. Needs 4 bytes of memory per
// example: 160 MB for 40 million.
class BatchPlan {
 public:
  // A function of its arguments alone: a permutation of the examples of the epoch, cut into
  // batches. Other toolkits bucket them by length to reduce padding; there is no padding here, so a
  // batch is a random sample and its gradient is not biased towards a length (docs/performance.md).
  // Every example is in exactly one batch. Error: an example that alone exceeds batch_tokens.
  static BatchPlan shuffled(const Dataset& data, const BatchOptions& options, uint64_t seed,
                            int64_t epoch);
  // All examples of the first epoch from the shortest to the longest target: for validation.
  static BatchPlan sorted(const Dataset& data, const BatchOptions& options);

  int64_t size() const { return int64_t(begin_.size()) - 1; }
  // The numbers of the examples of batch i.
  std::span<const uint32_t> batch(int64_t i) const;
  // The tokens of all examples of batch i.
  ExampleSize tokens(int64_t i) const;

 private:
  explicit BatchPlan(std::vector<uint32_t> examples);
  void cut(const Dataset& data, const BatchOptions& options, int64_t epoch);

  std::vector<uint32_t> examples_;   // batch after batch
  std::vector<uint32_t> begin_;      // [batches + 1] into examples_
  std::vector<ExampleSize> tokens_;  // of each batch
};

// The longest side of an example: the smallest batch_tokens that is possible.
int64_t longest_side(const Dataset& data);

// Divides a batch into `count` shards (a power of two) of nearly equal numbers of tokens: a
// function of the arguments alone, so that gradients can be added in one fixed tree on any number
// of threads. Shards of a batch with few examples may be empty.
std::vector<std::vector<Example>> shards(std::vector<Example> batch, int count);

}  // namespace heed
