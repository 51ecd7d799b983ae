// Lines that are too long for a model, cut where a reader would cut them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/tokenizer.h"

namespace heed {

struct TextPart {
  std::string_view text;  // inside the text that was split
  std::vector<TokenId> ids;
};

// Parts of `text`, in order, each of at most `limit` ids and Tokenizer::kBytesPerToken bytes for
// each of them. Cuts after the last end of a sentence that fits; where there is none near the
// limit, after the end of a clause, else between words, else between characters. A character of
// more ids than the limit is a part of its own. White space at the cuts is dropped, nothing else.
//
// `encode` is called with stretches of the text of about a part's length, about twice for each
// part, so the cost is linear in the text.
std::vector<TextPart> split_text(std::string_view text, int64_t limit,
                                 const std::function<Encoding(std::string_view)>& encode);

// Joins translated parts with a space, except next to Chinese or Japanese characters.
std::string join_parts(const std::vector<std::string>& parts);

}  // namespace heed
