// The interface of what a model learns from: examples by their numbers.
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "heed/core/ragged.h"
#include "heed/text/word_link.h"

namespace heed {

// A source and its target, without start and end. There is no source for a model that reads none.
struct Example {
  std::vector<TokenId> source, target;
  // The tokens that are translations of each other, in the order of the target, where they are
  // known (data/aligned_text.h).
  std::vector<WordLink> links = {};
};

// The tokens of an example that a model computes with on either side, start and end included.
struct ExampleSize {
  int64_t source = 0, target = 0;
};
inline ExampleSize size_of(const Example& example) {
  return {int64_t(example.source.size()) + 1, int64_t(example.target.size()) + 1};
}

// Const: any thread may read.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual int64_t size() const = 0;
  // The most that the example of this number has, in any epoch.
  virtual ExampleSize bound(int64_t index) const = 0;
  // The size of the example of this number in an epoch.
  virtual ExampleSize size_in(int64_t /*epoch*/, int64_t index) const { return bound(index); }
  // The examples of these numbers in an epoch, in their order.
  virtual std::vector<Example> examples(int64_t epoch, std::span<const uint32_t> indices) const = 0;
  // The numbers of the examples of an epoch, in any order; one may be among them more than once.
  virtual std::vector<uint32_t> of_epoch(int64_t /*epoch*/) const {
    std::vector<uint32_t> all(static_cast<size_t>(size()));
    std::iota(all.begin(), all.end(), 0u);
    return all;
  }
};

}  // namespace heed
