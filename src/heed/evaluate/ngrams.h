// N-grams of a sentence and how many of them a reference shares.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/core/rng.h"
#include "heed/evaluate/dense_numbers.h"

namespace heed::detail {

// Clipped n-gram matches of a hypothesis with references. A token is any 32-bit number;
// an n-gram is the pair of the (n-1)-gram before its last token and that token, so nothing is
// compared by hash alone. Made once and emptied for every sentence.
class NgramMatcher {
 public:
  // Orders 1 to max_order.
  explicit NgramMatcher(int max_order) : max_order_(max_order) {}

  void clear();

  // Adds a reference. The count of an n-gram is its maximum over the references.
  void add_reference(std::span<const uint32_t> tokens);

  // Adds to matches[n - 1] the n-grams of a hypothesis that the references have, each as often as
  // they have it at most. Consumes the counts: call clear() next.
  void take_matches(std::span<const uint32_t> tokens, std::span<int64_t> matches);

 private:
  struct Hash {
    uint64_t operator()(uint64_t key) const { return detail::mix(key, 0); }
  };
  struct Count {
    uint32_t most = 0;     // in any reference so far
    uint32_t current = 0;  // in the reference being added
    uint32_t reference = 0;
  };
  static constexpr uint32_t kNoPrefix = ~uint32_t{0};
  static uint64_t key(uint32_t prefix, uint32_t token) { return uint64_t{prefix} << 32 | token; }

  int max_order_;
  uint32_t references_ = 0;
  DenseNumbers<uint64_t, Hash> ngrams_;
  std::vector<Count> counts_;  // by the number of the n-gram
};

}  // namespace heed::detail
