// Reads tokenizer.json, the file of Hugging Face's tokenizers library: those with byte-level BPE as
// GPT-2 has it. Internal to the text layer.
#pragma once

#include <memory>
#include <string>

#include "heed/text/token_model.h"

namespace heed::detail {

// `end` is the token that ends a text. Unused ids follow the file's if it has fewer than `size`, as
// a model may. Error, naming `place`, if the text is no sound tokenizer.json, or one that divides
// text otherwise (WordPiece, other pre-tokenizers, a normalizer, ...).
std::shared_ptr<const TokenModel> read_tokenizer_json(std::string text, const std::string& end,
                                                      int64_t size, const std::string& place);

}  // namespace heed::detail
