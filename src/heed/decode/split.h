// Splits lines that are too long for a model at ends of sentences, clauses or words.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/tokenizer.h"

namespace heed {

struct TextPart {
  std::string_view text;  // refers to the text that was split
  std::vector<TokenId> ids;
  std::vector<size_t> ends;  // bytes of `text` where the ids' pieces end (Encoding::ends)
};

// Parts of `text`, in order, each of at most `limit` ids and limit * Tokenizer::kBytesPerToken
// bytes. Splits after the last end of a sentence within the limit; if there is none, after the
// last end of a clause, else between words, else between characters. A character with more ids than
// the limit is a part of its own. Only white space between parts is dropped.
//
// `encode` is called about twice for each part, with text of about its length, so the cost is
// linear in the text.
std::vector<TextPart> split_text(std::string_view text, int64_t limit,
                                 const std::function<Encoding(std::string_view)>& encode);

// Joins translated parts with a space, except next to Chinese or Japanese characters
// (text/sentences.h).
std::string join_parts(const std::vector<std::string>& parts);

}  // namespace heed
