// Word alignments of translations, from the model's cross-attention.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/model/transformer.h"

namespace heed {

// The cross-attention weights of a target token over consecutive source tokens. They sum to 1: all
// other source tokens have weight 0.
struct AttentionRow {
  size_t offset = 0;  // source token of the first weight
  std::vector<float> weights;

  friend bool operator==(const AttentionRow&, const AttentionRow&) = default;
};

// A row for each target token. In a line that was split, a row has the source tokens of its own
// part only, so that memory is linear in the length of the line.
using AttentionWeights = std::vector<AttentionRow>;

namespace detail {

// Appends the weights of a part of a line. The line has `before` source tokens before this part,
// which may have no target tokens.
void append(AttentionWeights& all, AttentionWeights part, size_t before);

}  // namespace detail

// Computes the encoder-decoder attention of finished translations in a separate pass, at no cost
// during the search: the mean over the heads of the penultimate layer, which aligns best in models
// that were not trained to align (Garg et al., 2019, section 5), or of the only layer. The weights
// of a pair depend on the pair alone.
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
  TensorPool pool_;
};

// What to report of the attention of a translation.
enum class Alignments { none, words, tokens, weights };
constexpr auto enum_names(Alignments) {
  return std::array<std::pair<std::string_view, Alignments>, 4>{{{"none", Alignments::none},
                                                                 {"words", Alignments::words},
                                                                 {"tokens", Alignments::tokens},
                                                                 {"weights", Alignments::weights}}};
}

// The weights as they are printed: rounded to four decimal places.
std::vector<std::vector<double>> rounded(const AttentionWeights& weights);

enum class AlignmentUnit { words, tokens };
constexpr auto enum_names(AlignmentUnit) {
  return std::array<std::pair<std::string_view, AlignmentUnit>, 2>{
      {{"words", AlignmentUnit::words}, {"tokens", AlignmentUnit::tokens}}};
}

// Pieces [begin, end).
struct PieceRange {
  int64_t begin = 0, end = 0;
  friend bool operator==(const PieceRange&, const PieceRange&) = default;
};

// The pieces of each unit of AlignmentUnit::words, in order. Several characters of text without
// spaces may be in one piece, and share it.
std::vector<PieceRange> word_pieces(const std::vector<std::string>& pieces);

// A source and a target unit, counted from 0.
struct AlignedPair {
  int64_t source = 0, target = 0;
  friend bool operator==(const AlignedPair&, const AlignedPair&) = default;
};

// Pairs each target unit with the source unit that has the largest weight.
//
// A unit of AlignmentUnit::words is a word between spaces. In text without spaces between its words
// (core/scripts.h, is_unspaced) it is a character, even if a token has several characters or, with
// byte fallback, a character has several tokens.
// - The weight of a target unit is the mean over its tokens, that of a source word the sum.
// - The source characters of one token have the same weight and are all paired.
// - Nothing is paired with </s>.
// The rows of `weights` must be in the order of their source tokens, as detail::append() stores
// them.
std::vector<AlignedPair> aligned_pairs(const std::vector<std::string>& source_pieces,
                                       const std::vector<std::string>& target_pieces,
                                       const AttentionWeights& weights, AlignmentUnit kind);

// The same in Pharaoh's format: "0-0 1-2".
std::string alignment_pairs(const std::vector<std::string>& source_pieces,
                            const std::vector<std::string>& target_pieces,
                            const AttentionWeights& weights, AlignmentUnit kind);

}  // namespace heed
