// N-grams of a sentence and how many of them a reference shares.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/core/dense_ids.h"

namespace heed::detail {

// Clipped n-gram matches of a hypothesis with references. A token is any 32-bit number;
// an n-gram is the pair of its first n - 1 tokens, as an id, and its last token, so n-grams are not
// compared by hash alone. Cleared for every sentence, to reuse its memory.
class NgramMatcher {
 public:
  // Orders 1 to max_order.
  explicit NgramMatcher(int max_order) : max_order_(max_order) {}

  void clear();

  // Adds a reference. The count of an n-gram is its maximum over the references.
  void add_reference(std::span<const uint32_t> tokens);

  // Adds to matches[n - 1] the number of n-grams of a hypothesis that match, each at most as often
  // as its count. Consumes the counts: call clear() next.
  void take_matches(std::span<const uint32_t> tokens, std::span<int64_t> matches);

 private:
  struct Count {
    uint32_t max = 0;      // in any reference so far
    uint32_t current = 0;  // in the reference being added
    uint32_t reference = 0;
  };
  static constexpr uint32_t kNoPrefix = ~uint32_t{0};
  static uint64_t key(uint32_t prefix, uint32_t token) { return uint64_t{prefix} << 32 | token; }

  int max_order_;
  uint32_t references_ = 0;
  DenseIds<uint64_t, HashOfNumber> ngrams_;
  std::vector<Count> counts_;  // by the id of the n-gram
};

}  // namespace heed::detail
