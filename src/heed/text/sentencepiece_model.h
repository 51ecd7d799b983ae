// The fields of a .spm file, a message in the wire format of protocol buffers
// (sentencepiece_model.proto), and its validation before SentencePiece loads it. Internal to the
// text layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heed/text/token_model.h"

namespace heed::detail {

// One field of a message.
struct Field {
  uint64_t number = 0;
  uint64_t value = 0;                     // of a number
  std::optional<std::string_view> bytes;  // of a string or an inner message
};

// Numbers of the fields of a ModelProto.
inline constexpr uint64_t kPieceField = 1, kTrainerField = 2, kNormalizerField = 3,
                          kSelfTestField = 4, kDenormalizerField = 5;

// Removes the next field from `text`, which is not empty; std::nullopt if the text is no message.
// Groups, which are obsolete, are rejected.
std::optional<Field> take_field(std::string_view& text);

// Whether `message` is well formed and `good` holds for each of its fields.
template <class Good>
bool all_fields(std::string_view message, Good good) {
  while (!message.empty()) {
    const auto field = take_field(message);
    if (!field || !good(*field)) return false;
  }
  return true;
}

// A valid model without its fields of this number.
std::string without_field(std::string_view model, uint64_t number);

// The normalizer of a valid model, a NormalizerSpec: its table of characters, and what becomes of
// spaces. Empty if the model has none.
std::string normalizer_of(std::string_view model);

// A valid model with another normalizer.
std::string with_normalizer(std::string_view model, std::string_view normalizer);

// How a valid model segments, and its pieces of ordinary text, whose ids are their places in the
// model: neither symbols that are always whole, nor bytes, nor those that no text has.
ScoredPieces scored_pieces_of(std::string_view model);

// Whether the bytes of a .spm file parse as a SentencePiece ModelProto whose normalization tables
// have no index out of bounds and whose pieces have at most 64 KiB. SentencePiece 0.1.97 checks
// neither, so a damaged file could make it read out of bounds, or exhaust memory. The rest of the
// file SentencePiece checks itself.
bool is_valid_model(std::string_view model);

}  // namespace heed::detail
