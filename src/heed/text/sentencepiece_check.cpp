#include "heed/text/sentencepiece_check.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace heed {
namespace {

// One field of a message in the protocol buffers' wire format.
struct Field {
  uint64_t number = 0;
  std::optional<std::string_view> bytes;  // of a string or a message inside
};

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

// The next field; nothing if the text is no message. Groups, which are obsolete, are refused.
std::optional<Field> take_field(std::string_view& text) {
  const auto tag = take_varint(text);
  if (!tag) return std::nullopt;
  Field field{*tag >> 3, std::nullopt};
  std::optional<uint64_t> length;
  switch (*tag & 7) {
    case 0:
      return take_varint(text) ? std::optional(field) : std::nullopt;
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
  text.remove_prefix(size_t(*length));
  return field;
}

// Whether `message` is well formed and `good` holds for each of its fields that carries bytes.
template <class Good>
bool all_fields(std::string_view message, Good good) {
  while (!message.empty()) {
    const auto field = take_field(message);
    if (!field || (field->bytes && !good(field->number, *field->bytes))) return false;
  }
  return true;
}

// A double-array trie (Aoe 1989; the units are those of darts-clone) from characters to positions
// in a text of replacements. `units` are not empty.
class Trie {
 public:
  Trie(std::string_view units, size_t replacements)
      : units_(units.size() / sizeof(uint32_t)), replacements_(replacements) {
    std::memcpy(units_.data(), units.data(), units_.size() * sizeof(uint32_t));
    values_below_.assign(units_.size(), kUnknown);
  }

  bool is_sound() { return values_below(0, 0) <= kMaxValues; }

 private:
  // Results of one look-up that SentencePiece has room for.
  static constexpr int kMaxValues = 32;
  static constexpr int kUnsound = kMaxValues + 1;
  static constexpr int kUnknown = -1;
  // Longer keys than any normalization has; also ends cycles.
  static constexpr int kMaxDepth = 512;

  // The greatest number of values on a way from this node to a leaf; kUnsound if one of the ways
  // leaves the tables. Nodes are shared between ways, so each is followed once.
  int values_below(uint32_t node, int depth) {
    int& result = values_below_[node];
    if (result != kUnknown) return result;
    const uint32_t unit = units_[node];
    const uint32_t base = node ^ ((unit >> 10) << ((unit & (1u << 9)) >> 6));
    if (depth > kMaxDepth || (base | 0xFF) >= units_.size()) return result = kUnsound;
    result = kUnsound;  // while a way leads through it: a way back here is a cycle
    const bool has_value = ((unit >> 8) & 1) != 0;
    if (has_value && (units_[base] & 0x7FFFFFFFu) >= replacements_) return kUnsound;
    int most = 0;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t child = base ^ byte;
      if ((units_[child] & 0x800000FFu) != byte) continue;
      // A node that leads to itself without a value is how unused units look; it does no harm.
      if (child == node && !has_value) continue;
      most = std::max(most, values_below(child, depth + 1));
    }
    return values_below_[node] = std::min(kUnsound, most + (has_value ? 1 : 0));
  }

  std::vector<uint32_t> units_;
  std::vector<int> values_below_;  // by node
  size_t replacements_;
};

// Four bytes of size, the trie, the replacements.
bool is_sound_table(std::string_view table) {
  if (table.empty()) return true;
  uint32_t size = 0;
  if (table.size() < sizeof size) return false;
  std::memcpy(&size, table.data(), sizeof size);
  table.remove_prefix(sizeof size);
  if (size == 0 || size >= table.size() || size % sizeof(uint32_t) != 0) return false;
  return Trie(table.substr(0, size), table.size() - size).is_sound();
}

}  // namespace

bool has_sound_tables(std::string_view model) {
  constexpr uint64_t kNormalizer = 3, kDenormalizer = 5, kTable = 2;  // sentencepiece_model.proto
  return all_fields(model, [&](uint64_t number, std::string_view spec) {
    if (number != kNormalizer && number != kDenormalizer) return true;
    return all_fields(spec, [&](uint64_t inner, std::string_view table) {
      return inner != kTable || is_sound_table(table);
    });
  });
}

}  // namespace heed
