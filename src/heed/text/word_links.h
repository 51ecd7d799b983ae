// Links between the tokens of a sentence and its translation, learned from sentence pairs alone:
// the yardstick for word alignments where no person has aligned any.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/core/dense_ids.h"
#include "heed/core/ragged.h"

namespace heed {

// The token ids of a sentence and its translation, without </s>.
struct TokenPair {
  std::vector<TokenId> source, target;
};

// The text that an alignment is measured on.
struct AlignmentText {
  std::vector<TokenPair> lexical;   // pairs from which translations of tokens are learned
  std::vector<TokenPair> measured;  // pairs whose attention is compared with these
};

namespace detail {

// Identifies a source and a target token that occur in one pair.
inline uint64_t link_key(TokenId source, TokenId target) {
  return uint64_t(uint32_t(source)) << 32 | uint32_t(target);
}

}  // namespace detail

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
  enum class Given { source, target };
  std::vector<double> learn(const std::vector<TokenPair>& pairs, const std::vector<uint32_t>& cells,
                            Given given) const;

  // The cells, which are pairs of a source and a target id that occur in a sentence pair.
  detail::DenseIds<uint64_t, detail::HashOfNumber> cells_;
  // By cell: the probability of the target given the source, and of the source given the target.
  std::vector<double> of_target_, of_source_;
};

}  // namespace heed
