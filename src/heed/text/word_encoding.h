// The words of a line as token ids. Each is encoded separately, so that its first token is known.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "heed/text/tokenizer.h"

namespace heed {

// A word of whose characters normalization leaves nothing is <unk>.
struct EncodedWords {
  std::vector<TokenId> ids;    // without </s>
  std::vector<int32_t> first;  // the place in `ids` of each word's first token
};

// Words are separated by ASCII whitespace.
EncodedWords encode_words(const Tokenizer& tokenizer, std::string_view line);

// The id of a label, or of a symbol of a linear tree, in a vocabulary of them; <unk> for one that
// it lacks.
TokenId label_id(const Tokenizer& labels, std::string_view label);

// The ids of a vocabulary of labels: </s>, which tokens without a label have, <unk>, and from here
// on the labels.
inline constexpr TokenId kFirstLabel = 2;

// The labels of a vocabulary, by class: the id less kFirstLabel.
std::vector<std::string> labels_of(const Vocabulary& vocabulary);

}  // namespace heed
