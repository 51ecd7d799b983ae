// What SentencePiece believes without looking.
#pragma once

#include <string>
#include <string_view>

namespace heed::detail {

// Whether the bytes of a .spm file are a message whose normalization tables stay within their
// bounds and whose pieces are of a sane length. SentencePiece 0.1.97 follows both unchecked, so a
// damaged file would read memory that is not its own, or fill it. All else in the file it checks by
// itself.
bool is_sound_model(std::string_view model);

// A sound model without the examples that it would try on itself: SentencePiece encodes them while
// it loads, however many there are, and prints those that fail.
std::string without_self_test(std::string_view model);

}  // namespace heed::detail
