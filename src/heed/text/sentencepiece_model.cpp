#include "heed/text/sentencepiece_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace heed::detail {
namespace {

std::optional<uint64_t> take_varint(std::string_view& text) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !text.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    value |= uint64_t(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

void append_varint(std::string& text, uint64_t value) {
  for (; value >= 0x80; value >>= 7) text += char(value | 0x80);
  text += char(value);
}

// A double-array trie (Aoe 1989; the units are those of darts-clone) from characters to positions
// in a text of replacements. `units` are not empty.
class Trie {
 public:
  Trie(std::string_view units, std::string_view replacements)
      : units_(units.size() / sizeof(uint32_t)), replacements_(replacements) {
    std::memcpy(units_.data(), units.data(), units_.size() * sizeof(uint32_t));
    values_below_.assign(units_.size(), kUnknown);
  }

  bool is_sound() { return values_below(0, 0) <= kMaxValues; }

 private:
  // The maximum number of results of one look-up in SentencePiece.
  static constexpr int kMaxValues = 32;
  static constexpr int kUnsound = kMaxValues + 1;
  static constexpr int kUnknown = -1;
  // Longer keys than any normalization has; also ends cycles.
  static constexpr int kMaxDepth = 512;
  // The maximum length of a replacement, so that a short line cannot exhaust memory. Unicode's
  // longest has 33 bytes.
  static constexpr size_t kMaxReplacement = 512;

  // The greatest number of values on a path from this node to a leaf; kUnsound if a path leads out
  // of the tables. Paths share nodes, so each node is visited once.
  int values_below(uint32_t node, int depth) {
    int& result = values_below_[node];
    if (result != kUnknown) return result;
    const uint32_t unit = units_[node];
    const uint32_t base = node ^ ((unit >> 10) << ((unit & (1u << 9)) >> 6));
    if (depth > kMaxDepth || (base | 0xFF) >= units_.size()) return result = kUnsound;
    result = kUnsound;  // until the visit ends: a path back to this node is a cycle
    const bool has_value = ((unit >> 8) & 1) != 0;
    if (has_value && !is_short_text(units_[base] & 0x7FFFFFFFu)) return kUnsound;
    int most = 0;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t child = base ^ byte;
      if ((units_[child] & 0x800000FFu) != byte) continue;
      // A node that leads to itself without a value is an unused unit, which is harmless.
      if (child == node && !has_value) continue;
      most = std::max(most, values_below(child, depth + 1));
    }
    return values_below_[node] = std::min(kUnsound, most + (has_value ? 1 : 0));
  }

  // Whether a replacement of at most that length begins here. It ends at a NUL, or with the table.
  bool is_short_text(uint32_t begin) const {
    if (begin >= replacements_.size()) return false;
    const std::string_view text = replacements_.substr(begin, kMaxReplacement + 1);
    return text.size() <= kMaxReplacement || text.find('\0') != text.npos;
  }

  std::vector<uint32_t> units_;
  std::vector<int> values_below_;  // by node
  std::string_view replacements_;
};

// Four bytes of size, the trie, the replacements.
bool is_sound_table(std::string_view table) {
  if (table.empty()) return true;
  uint32_t size = 0;
  if (table.size() < sizeof size) return false;
  std::memcpy(&size, table.data(), sizeof size);
  table.remove_prefix(sizeof size);
  if (size == 0 || size >= table.size() || size % sizeof(uint32_t) != 0) return false;
  return Trie(table.substr(0, size), table.substr(size)).is_sound();
}

bool is_sound_normalizer(std::string_view spec) {
  constexpr uint64_t kTable = 2;
  return all_fields(spec, [&](const Field& field) {
    return field.number != kTable || !field.bytes || is_sound_table(*field.bytes);
  });
}

// Types of pieces; the others, too, are not of ordinary text.
constexpr uint32_t kNormalType = 1, kUserDefinedType = 4, kUnusedType = 5;

struct Piece {
  std::string_view text;
  float score = 0;
  uint32_t type = kNormalType;

  void read(const Field& field) {
    constexpr uint64_t kText = 1, kScore = 2, kType = 3;
    if (field.number == kText && field.bytes) text = *field.bytes;
    if (field.number == kScore) score = std::bit_cast<float>(uint32_t(field.value));
    if (field.number == kType) type = uint32_t(field.value);
  }
};

// Checks of the pieces of a model that SentencePiece does not make.
class Pieces {
 public:
  // Adds a piece; false if it is invalid.
  bool add(std::string_view message) {
    Piece piece;
    bool unused = false, finite = true;
    const bool whole = all_fields(message, [&](const Field& field) {
      piece.read(field);
      finite &= std::isfinite(piece.score);
      unused |= piece.type == kUnusedType;
      return true;
    });
    const std::string_view text = piece.text;
    if (piece.type == kUserDefinedType) user_defined_.push_back(text);
    return whole && finite && !text.empty() && text.size() <= (unused ? kMaxUnused : kMaxBytes) &&
           text.find('\0') == text.npos;
  }

  // Whether no look-up among the user-defined symbols has more results than SentencePiece has room
  // for: of symbols that are prefixes of each other ("a", "aa", "aaa"), one text may match all.
  bool have_room() {
    std::sort(user_defined_.begin(), user_defined_.end());
    std::vector<std::string_view> open;  // symbols that are prefixes of the current one
    for (const std::string_view symbol : user_defined_) {
      while (!open.empty() && !symbol.starts_with(open.back())) open.pop_back();
      open.push_back(symbol);
      if (open.size() > kMaxFound) return false;
    }
    return true;
  }

 private:
  // More than any word that a model learns.
  static constexpr size_t kMaxBytes = 65536;
  // SentencePiece splits these again, recursing once for each character.
  static constexpr size_t kMaxUnused = 4096;
  static constexpr size_t kMaxFound = 64;
  std::vector<std::string_view> user_defined_;
};

}  // namespace

std::optional<Field> take_field(std::string_view& text) {
  const auto tag = take_varint(text);
  // Longer tags lose their upper bits in the library, which then sees another field than we do.
  if (!tag || *tag > UINT32_MAX) return std::nullopt;
  Field field;
  field.number = *tag >> 3;
  std::optional<uint64_t> length;
  switch (*tag & 7) {
    case 0: {
      const auto value = take_varint(text);
      if (!value) return std::nullopt;
      field.value = *value;
      return field;
    }
    case 1:
      length = 8;
      break;
    case 2:
      length = take_varint(text);
      break;
    case 5:
      length = 4;
      break;
    default:
      return std::nullopt;
  }
  if (!length || *length > text.size()) return std::nullopt;
  if ((*tag & 7) == 2) field.bytes = text.substr(0, size_t(*length));
  if ((*tag & 7) == 5) {
    uint32_t number = 0;
    std::memcpy(&number, text.data(), sizeof number);
    field.value = number;
  }
  text.remove_prefix(size_t(*length));
  return field;
}

std::string without_field(std::string_view model, uint64_t number) {
  std::string kept;
  kept.reserve(model.size());
  while (!model.empty()) {
    const std::string_view before = model;
    const auto field = take_field(model);
    if (!field) break;
    if (field->number != number) kept += before.substr(0, before.size() - model.size());
  }
  return kept;
}

std::string normalizer_of(std::string_view model) {
  std::string normalizer;
  all_fields(model, [&](const Field& field) {
    // A message that occurs again is merged into the one before.
    if (field.number == kNormalizerField && field.bytes) normalizer += *field.bytes;
    return true;
  });
  return normalizer;
}

std::string with_normalizer(std::string_view model, std::string_view normalizer) {
  constexpr uint64_t kBytes = 2;  // the wire type of strings and messages
  std::string changed = without_field(model, kNormalizerField);
  append_varint(changed, kNormalizerField << 3 | kBytes);
  append_varint(changed, normalizer.size());
  return changed.append(normalizer);
}

ScoredPieces scored_pieces_of(std::string_view model) {
  constexpr uint64_t kModelType = 3, kUnigram = 1, kBpe = 2;
  ScoredPieces result{Segmentation::unigram, {}};  // the type of a model that names none
  TokenId place = 0;
  all_fields(model, [&](const Field& field) {
    if (!field.bytes) return true;
    if (field.number == kTrainerField) {
      all_fields(*field.bytes, [&](const Field& of_trainer) {
        if (of_trainer.number != kModelType) return true;
        result.segmentation = of_trainer.value == kUnigram ? Segmentation::unigram
                              : of_trainer.value == kBpe   ? Segmentation::bpe
                                                           : Segmentation::other;
        return true;
      });
    }
    if (field.number != kPieceField) return true;
    Piece piece;
    all_fields(*field.bytes, [&](const Field& of_piece) {
      piece.read(of_piece);
      return true;
    });
    if (piece.type == kNormalType)
      result.pieces.push_back({place, std::string(piece.text), piece.score});
    ++place;
    return true;
  });
  return result;
}

bool is_valid_model(std::string_view model) {
  Pieces pieces;
  const bool sound = all_fields(model, [&](const Field& field) {
    if (!field.bytes) return true;
    if (field.number == kPieceField) return pieces.add(*field.bytes);
    if (field.number == kNormalizerField || field.number == kDenormalizerField)
      return is_sound_normalizer(*field.bytes);
    return true;
  });
  return sound && pieces.have_room();
}

}  // namespace heed::detail
