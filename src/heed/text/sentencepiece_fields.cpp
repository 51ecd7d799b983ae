#include "heed/text/sentencepiece_fields.h"

#include <cstring>

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

}  // namespace heed::detail
