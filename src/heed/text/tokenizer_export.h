// Writes a SentencePiece vocabulary as tokenizer.json, for programs that read it by Hugging Face's
// tokenizers library. Internal to the text layer.
#pragma once

#include <optional>
#include <string>

#include "heed/text/vocabulary.h"

namespace heed::detail {

// The tokenizer.json that gives the ids of this SentencePiece model and vocabulary, each text after
// <pad>, with which the texts of heed's language models begin. Of vocabularies with BPE, unigram
// or characters; std::nullopt for one of words, or with symbols that stay whole, which the library
// divides otherwise.
//
// Where the library differs: the names of special tokens within a text become these tokens; tables
// of normalization are applied to graphemes, not to the longest match; of merges that make one
// piece, or of divisions into pieces with equal scores, it may prefer another.
std::optional<std::string> tokenizer_json_of(const std::string& model,
                                             const Vocabulary& vocabulary);

}  // namespace heed::detail
