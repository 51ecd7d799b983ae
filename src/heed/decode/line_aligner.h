// Word alignments of pairs of lines, learned from these pairs alone (text/word_aligner.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/core/parallel.h"
#include "heed/decode/alignment.h"
#include "heed/text/word_aligner.h"

namespace heed {

// Words are those of TextUnits (decode/text_units.h), without the punctuation around them and in
// lower case: what stands between white space, and each character of text without spaces.
class LineAligner {
 public:
  // For this number of pairs; those that are not set stay empty.
  explicit LineAligner(int64_t pairs) : pairs_(size_t(pairs)) {}

  void set(int64_t pair, std::string_view source, std::string_view target);
  // Learns from all pairs.
  void learn(Workers& workers) { aligner_.emplace(pairs_, workers); }
  // The links of the pairs from `begin` to `end`, once they have been learned from. None for a pair
  // with a side that is empty or has more words than WordAligner::kMaxTokens.
  std::vector<std::vector<AlignedPair>> links(int64_t begin, int64_t end,
                                              Symmetrization symmetrization,
                                              Workers& workers) const;

 private:
  using Ids = std::unordered_map<std::string, TokenId>;
  static std::vector<TokenId> ids_of(std::string_view line, Ids& ids);

  std::vector<TokenPair> pairs_;
  Ids source_ids_, target_ids_;
  std::optional<WordAligner> aligner_;
};

}  // namespace heed
