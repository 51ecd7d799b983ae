// What SentencePiece believes without looking.
#pragma once

#include <string_view>

namespace heed {

// Whether the normalization tables of a .spm file stay within their bounds. SentencePiece follows
// them unchecked, so a damaged one would read memory that is not its own. All else in the file it
// checks by itself.
bool has_sound_tables(std::string_view model);

}  // namespace heed
