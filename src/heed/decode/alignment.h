// Word alignments of translations, from the model's cross-attention.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/decode/text_units.h"
#include "heed/model/cross_attention.h"

namespace heed {

namespace detail {

// Appends the weights of a part of a line; none if the part has no target tokens. The line has
// `before` source tokens before this part.
void append(AttentionWeights& all, AttentionWeights part, size_t before);

}  // namespace detail

// The form in which the attention of a translation is reported, if it is.
enum class Alignments { none, words, tokens, weights };
constexpr auto enum_names(Alignments) {
  return std::array<std::pair<std::string_view, Alignments>, 4>{{{"none", Alignments::none},
                                                                 {"words", Alignments::words},
                                                                 {"tokens", Alignments::tokens},
                                                                 {"weights", Alignments::weights}}};
}

// The weights as they are printed: rounded to four decimal places.
std::vector<std::vector<double>> rounded(const AttentionWeights& weights);

// Words are the units of decode/text_units.h.
enum class AlignmentUnit { words, tokens };
constexpr auto enum_names(AlignmentUnit) {
  return std::array<std::pair<std::string_view, AlignmentUnit>, 2>{
      {{"words", AlignmentUnit::words}, {"tokens", AlignmentUnit::tokens}}};
}

// A source and a target unit, counted from 0.
struct AlignedPair {
  int64_t source = 0, target = 0;
  friend bool operator==(const AlignedPair&, const AlignedPair&) = default;
};

// The units of pieces as AlignmentUnit::tokens counts them: each piece is one, and </s> is none.
std::vector<UnitRange> token_units(const std::vector<std::string>& pieces);

// Pairs each target unit with the source unit that has the largest weight, given the units of each
// piece.
// - The weight of a target unit is the mean over its pieces (or their sum, which ranks source units
//   the same), that of a source unit the sum.
// - The source units of one piece, such as characters, have the same weight and are all paired.
// - Nothing is paired with a piece without units: </s>, and a language code where units are words.
// The source pieces of the rows of `weights` must not go back from one row to the next, as
// detail::append() stores them.
std::vector<AlignedPair> aligned_pairs(const std::vector<UnitRange>& source,
                                       const std::vector<UnitRange>& target,
                                       const AttentionWeights& weights);

// Pairs in the Pharaoh format: "0-0 2-1".
std::string pharaoh_text(const std::vector<AlignedPair>& pairs);

}  // namespace heed
