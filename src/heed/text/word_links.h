// Which tokens of a sentence and its translation belong together, learned from sentence pairs
// alone: the yardstick for word alignments where no person has aligned any.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/core/ragged.h"

namespace heed {

// The token ids of a sentence and its translation, without </s>.
struct TokenPair {
  std::vector<TokenId> source, target;
};

// What an alignment is measured on.
struct AlignmentText {
  std::vector<TokenPair> lexical;   // pairs from which translations of tokens are learned
  std::vector<TokenPair> measured;  // pairs whose attention is compared with these
};

// IBM model 1 (Brown et al., 1993) without the null word, learned in both directions by five
// rounds of EM. The time and the memory grow with the number of token pairs: the sum of source
// length times target length.
class WordLinks {
 public:
  // As many token pairs as are worth it: 0.3 s and 100 MB.
  static constexpr double kMaxTokenPairs = 2e6;

  explicit WordLinks(const std::vector<TokenPair>& pairs);

  // For each target token the source token (its place) that each direction takes for the other's
  // likeliest translation, of all in the pair; -1 if the directions disagree, if another token is
  // as likely, or if the tokens never occurred together. Few, but mostly right.
  std::vector<int32_t> of(const TokenPair& pair) const;

 private:
  // The numbers of pairs of a source and a target id that occur in a sentence pair: a hash table
  // with linear probing.
  class Cells {
   public:
    Cells();
    uint32_t add(TokenId source, TokenId target);
    static constexpr uint32_t kNone = UINT32_MAX;
    uint32_t find(TokenId source, TokenId target) const;
    const std::vector<uint64_t>& keys() const { return keys_; }

   private:
    size_t slot(uint64_t key) const;
    std::vector<uint64_t> keys_;   // of each cell
    std::vector<uint32_t> table_;  // the cell of each slot
  };
  enum class Given { source, target };
  std::vector<double> learn(const std::vector<TokenPair>& pairs, const std::vector<uint32_t>& cells,
                            Given given) const;

  Cells cells_;
  // By cell: the probability of the target given the source, and of the source given the target.
  std::vector<double> of_target_, of_source_;
};

}  // namespace heed
