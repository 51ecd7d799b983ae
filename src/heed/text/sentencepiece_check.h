// Validation of .spm files before SentencePiece loads them.
#pragma once

#include <string_view>

namespace heed::detail {

// Whether the bytes of a .spm file parse as a SentencePiece ModelProto whose normalization tables
// have no index out of bounds and whose pieces have at most 64 KiB. SentencePiece 0.1.97 checks
// neither, so a damaged file could make it read out of bounds, or exhaust memory. The rest of the
// file SentencePiece checks itself.
bool is_valid_model(std::string_view model);

}  // namespace heed::detail
