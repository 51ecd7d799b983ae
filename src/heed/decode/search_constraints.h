// The constraints that options and vocabularies ask for.
#pragma once

#include "heed/decode/constraint.h"
#include "heed/decode/search_options.h"
#include "heed/text/byte_pieces.h"

namespace heed {

// A minimum length, and no repeated n-grams.
Constraints option_constraints(const SearchOptions& options, TokenId end_id);

// A character that is spelled in byte pieces is spelled whole. `bytes`, the pieces, must outlive
// the constraint. Null if the vocabulary has no such pieces.
std::shared_ptr<const Constraint> whole_characters(const BytePieces& bytes);

// The ids, sorted, that would complete an n-gram that `ids` already contains.
std::vector<TokenId> repeated_ngram_tokens(std::span<const TokenId> ids, int64_t n);

}  // namespace heed
