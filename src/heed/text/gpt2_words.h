// GPT-2's division of text into words, within which its byte-level BPE merges (Radford et al.,
// 2019). Internal to the text layer.
#pragma once

#include <cstddef>
#include <string_view>

namespace heed::detail {

// The bytes of the first word of valid UTF-8 that is not empty: the match of
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// at its beginning. Words follow each other without a gap.
size_t first_gpt2_word(std::string_view text);

}  // namespace heed::detail
