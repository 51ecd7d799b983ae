#include "heed/core/utf8.h"

#include <utf8proc.h>

#include <cstdint>
#include <cstring>

#include "heed/core/error.h"

namespace heed {
namespace {

// Inline, since every character beyond ASCII is read through it.
inline std::optional<Utf8Lead> read_lead(uint8_t byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return Utf8Lead{1, byte & 0x1Fu, 0x80, 0xBF};
  if (byte >= 0xE0 && byte <= 0xEF) {
    const uint8_t first = byte == 0xE0 ? 0xA0 : 0x80;
    const uint8_t last = byte == 0xED ? 0x9F : 0xBF;
    return Utf8Lead{2, byte & 0x0Fu, first, last};
  }
  if (byte >= 0xF0 && byte <= 0xF4) {
    const uint8_t first = byte == 0xF0 ? 0x90 : 0x80;
    const uint8_t last = byte == 0xF4 ? 0x8F : 0xBF;
    return Utf8Lead{3, byte & 0x07u, first, last};
  }
  return std::nullopt;
}

// How many bytes at the beginning of the text are ASCII, in steps of eight.
size_t count_ascii(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080u;
  size_t count = 0;
  while (text.size() - count >= sizeof(uint64_t)) {
    uint64_t eight;
    std::memcpy(&eight, text.data() + count, sizeof(eight));
    if (eight & kHighBits) break;
    count += sizeof(eight);
  }
  return count;
}

}  // namespace

std::optional<Utf8Lead> utf8_lead(uint8_t byte) {
  return read_lead(byte);
}

Utf8Character first_utf8_character(std::string_view text) {
  check(!text.empty(), "no character in an empty text");
  const auto byte_at = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (byte_at(0) < 0x80) return {byte_at(0), 1, true};
  const std::optional<Utf8Lead> lead = read_lead(byte_at(0));
  if (!lead) return {kReplacementCharacter, 1, false};
  char32_t value = lead->payload;
  const size_t bytes = static_cast<size_t>(lead->following) + 1;
  for (size_t i = 1; i < bytes; ++i) {
    const uint8_t least = i == 1 ? lead->second_first : 0x80;
    const uint8_t most = i == 1 ? lead->second_last : 0xBF;
    if (i >= text.size() || byte_at(i) < least || byte_at(i) > most) {
      return {kReplacementCharacter, i, false};
    }
    value = value << 6 | (byte_at(i) & 0x3Fu);
  }
  return {value, bytes, true};
}

Utf8Character last_utf8_character(std::string_view text) {
  check(!text.empty(), "no character in an empty text");
  constexpr size_t kLongest = 4;
  const auto continues = [](char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; };
  size_t begin = text.size() - 1;
  while (begin > 0 && text.size() - begin < kLongest && continues(text[begin])) --begin;
  const Utf8Character character = first_utf8_character(text.substr(begin));
  if (begin + character.bytes == text.size()) return character;
  return {kReplacementCharacter, 1, false};  // a continuation byte that belongs to no character
}

std::optional<size_t> find_invalid_utf8(std::string_view text) {
  size_t position = 0;
  while (position < text.size()) {
    position += count_ascii(text.substr(position));
    if (position == text.size()) break;
    const Utf8Character character = first_utf8_character(text.substr(position));
    if (!character.valid) return position;
    position += character.bytes;
  }
  return std::nullopt;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string mended;
  mended.reserve(text.size());
  while (const std::optional<size_t> bad = find_invalid_utf8(text)) {
    mended.append(text.substr(0, *bad));
    append_utf8(mended, kReplacementCharacter);
    text.remove_prefix(*bad + first_utf8_character(text.substr(*bad)).bytes);
  }
  mended.append(text);
  return mended;
}

int64_t count_characters(std::string_view text) {
  // Every byte but those that continue a character.
  return std::ranges::count_if(text, [](char c) { return (uint8_t(c) & 0xC0) != 0x80; });
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string decoded;
  decoded.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = first_utf8_character(text);
    decoded.push_back(character.value);
    text.remove_prefix(character.bytes);
  }
  return decoded;
}

std::string excerpt(std::string_view text, size_t characters) {
  std::string_view rest = text;
  for (size_t i = 0; i < characters && !rest.empty(); ++i)
    rest.remove_prefix(first_utf8_character(rest).bytes);
  const std::string_view shown = text.substr(0, text.size() - rest.size());
  return rest.empty() ? std::string(text) : std::string(shown) + "...";
}

void append_utf8(std::string& text, char32_t character) {
  auto code = static_cast<utf8proc_int32_t>(character);
  if (!utf8proc_codepoint_valid(code)) code = kReplacementCharacter;
  utf8proc_uint8_t bytes[4];
  const auto count = utf8proc_encode_char(code, bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(count));
}

std::string encode_utf8(std::u32string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char32_t character : text) append_utf8(encoded, character);
  return encoded;
}

}  // namespace heed
