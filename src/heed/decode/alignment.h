// Which source words a translation's words come from, as the model's attention tells.
#pragma once

#include <string>
#include <vector>

#include "heed/model/transformer.h"

namespace heed {

// How much the model looked at consecutive source tokens when it wrote a target piece. The weights
// sum to 1: all other source tokens have weight 0.
struct AttentionRow {
  size_t offset = 0;  // source token of the first weight
  std::vector<float> weights;

  friend bool operator==(const AttentionRow&, const AttentionRow&) = default;
};

// A row for each target piece. In a line that was split, a row has the source tokens of its own
// part only, so that memory is linear in the length of the line.
using AttentionWeights = std::vector<AttentionRow>;

namespace detail {

// Appends the weights of a part of a line, whose source tokens follow `before` others. A part may
// have no target pieces.
void append(AttentionWeights& all, AttentionWeights part, size_t before);

}  // namespace detail

// Reads the encoder-decoder attention of finished translations, in a pass of its own, so that
// searching pays nothing for it: the mean over the heads of the last layer but one, which aligns
// best of all in models that were not trained to align (Garg et al., 2019, section 5), or of the
// only layer. A pair's weights depend on the pair alone.
class Aligner {
 public:
  // Both must outlive the aligner, which is for one thread.
  Aligner(const Transformer& model, Backend& backend);
  // `source` ends with </s>; targets have neither start nor </s> and may be empty.
  std::vector<AttentionWeights> weights(const std::vector<TokenId>& source,
                                        const std::vector<std::vector<TokenId>>& targets);

 private:
  const Transformer& model_;
  Backend& backend_;
  Pool pool_;
};

enum class AlignmentUnit { words, pieces };

// Pairs "i-j" of source and target units, counted from 0, in Pharaoh's format: each target unit
// with the source units that it looked at most.
//
// A unit of AlignmentUnit::words is a word between spaces, but each character of text without
// spaces between its words (core/scripts.h, is_unspaced) is one of its own, whatever pieces it is
// in, be they the bytes of a vocabulary with byte fallback. The weight of a target unit is the mean
// over its pieces, the weight of a source word the sum over its pieces; the source characters of
// one piece cannot be told apart and are paired together. Nothing is paired with </s>. The rows of
// `weights` must be in the order of their source tokens, as detail::append() leaves them.
std::string alignment_pairs(const std::vector<std::string>& source_pieces,
                            const std::vector<std::string>& target_pieces,
                            const AttentionWeights& weights, AlignmentUnit kind);

}  // namespace heed
