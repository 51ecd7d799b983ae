#include "heed/text/line_damage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "heed/core/scripts.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"

namespace heed::detail {
namespace {

// The characters of the bytes 0x80 to 0x9F in Windows-1252; 0 if undefined.
constexpr std::array<char16_t, 32> kWindows1252 = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

// The byte above 0x7F that Windows-1252 or Latin-1 reads as this character.
std::optional<char> windows_byte_of(char32_t character) {
  if (character >= 0x80 && character <= 0xFF) return char(character);
  if (character < 0x100) return std::nullopt;
  const auto found = std::find(kWindows1252.begin(), kWindows1252.end(), character);
  if (found == kWindows1252.end()) return std::nullopt;
  return char(0x80 + (found - kWindows1252.begin()));
}

// A character that was encoded twice, at the beginning of a text.
struct Twice {
  char32_t value;
  size_t characters;  // length of its mojibake
};

std::optional<Twice> read_twice(std::u32string_view text) {
  std::string bytes;
  for (const char32_t character : text.substr(0, 4)) {
    const std::optional<char> byte = windows_byte_of(character);
    if (!byte) break;
    bytes.push_back(*byte);
  }
  if (bytes.size() < 2) return std::nullopt;
  const Utf8Character found = first_utf8_character(bytes);
  if (!found.valid) return std::nullopt;
  return Twice{found.value, found.bytes};
}

// Characters whose mojibake is rarely intended: letters and signs of Latin-1, dashes, quotes, the
// euro sign.
bool usual(char32_t value) {
  return (value >= 0xA0 && value <= 0xFF) || (value >= 0x2010 && value <= 0x203A) ||
         value == 0x20AC;
}

bool may_be_twice(std::string_view line) {
  // Every such sequence begins with U+00C2 to U+00F4, which UTF-8 writes with the byte 0xC3.
  return line.find('\xC3') != line.npos;
}

// The repaired text, and how certain it is that there was something to repair.
struct Repair {
  std::u32string text;
  int64_t sequences = 0;
  bool usual_one = false;

  bool convincing() const { return sequences > 1 || usual_one; }
};

Repair repair(std::string_view line) {
  const std::u32string text = decode_utf8(line);
  Repair result;
  for (size_t i = 0; i < text.size();) {
    const auto twice = text[i] >= 0xC2 && text[i] <= 0xF4
                           ? read_twice(std::u32string_view(text).substr(i))
                           : std::nullopt;
    if (!twice) {
      result.text.push_back(text[i++]);
      continue;
    }
    result.text.push_back(twice->value);
    ++result.sequences;
    result.usual_one |= usual(twice->value);
    i += twice->characters;
  }
  return result;
}

// C0 except tab, DEL, C1, line and paragraph separator, byte order mark.
bool is_control(char32_t c) {
  return (c < 0x20 && c != '\t') || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029 ||
         c == 0xFEFF;
}

// Those control characters that are white space.
constexpr bool parts_words(char32_t c) {
  return (c >= '\n' && c <= '\r') || c == 0x85 || c == 0x2028 || c == 0x2029;
}

constexpr bool is_joiner(char32_t c) {
  return c == 0x200C || c == 0x200D;
}

// Whether an invisible character is part of the spelling after this one: a joiner in Persian, in
// Indic scripts and in emoji, a zero-width space between words of Thai or Khmer.
bool has_use_after(char32_t previous, char32_t invisible) {
  const auto script = script_of(previous);
  if (invisible == 0x200B) {
    return script && is_unspaced(*script) && *script != Script::han && *script != Script::kana;
  }
  if (!is_joiner(invisible)) return false;
  if (!script) return invisible == 0x200D && previous >= 0x2190;
  return *script != Script::latin && *script != Script::greek && *script != Script::cyrillic &&
         *script != Script::han && *script != Script::kana && *script != Script::hangul;
}

std::string picture(char32_t c) {
  std::string text;
  if (c <= 0x20) {
    append_utf8(text, 0x2400 + c);
  } else if (c == 0x7F) {
    append_utf8(text, 0x2421);
  } else {
    text = fmt::format("<U+{:04X}>", uint32_t(c));
  }
  return text;
}

}  // namespace

bool is_invisible(char32_t c) {
  if (c < 0xAD || (c > 0x3164 && c < 0xFFA0)) return false;
  return c == 0xAD || (c >= 0x200B && c <= 0x200F) || is_bidi_control(c) ||
         (c >= 0x2060 && c <= 0x2064) || (c >= 0x206A && c <= 0x206F) || c == 0x34F ||
         c == 0x115F || c == 0x1160 || c == 0x3164 || c == 0xFFA0 || (c >= 0xFFF9 && c <= 0xFFFB);
}

LineDamage find_damage(std::string_view line) {
  LineDamage damage;
  if (line.ends_with('\r')) {
    damage.carriage_return = true;
    line.remove_suffix(1);
  }
  damage.double_encoded = may_be_twice(line) && repair(line).convincing();
  char32_t previous = 0;
  for (std::string_view rest = line; !rest.empty();) {
    const Utf8Character character = first_utf8_character(rest);
    if (damage.invisible == 0 && is_invisible(character.value) &&
        !has_use_after(previous, character.value))
      damage.invisible = character.value;
    previous = character.value;
    damage.invalid |= !character.valid;
    damage.replaced |= character.valid && character.value == kReplacementCharacter;
    damage.control |= is_control(character.value);
    rest.remove_prefix(character.bytes);
  }
  // "Ã\u009F": the second half of a letter that was encoded twice is a control character to
  // Latin-1.
  if (damage.double_encoded) damage.control = false;
  return damage;
}

std::string repair_double_encoding(std::string_view line) {
  if (!may_be_twice(line)) return std::string(line);
  const Repair repaired = repair(line);
  return repaired.convincing() ? encode_utf8(repaired.text) : std::string(line);
}

std::string repaired_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::string decoded = repair_double_encoding(line);
  std::string result;
  result.reserve(decoded.size());
  char32_t previous = 0;
  for (std::string_view rest = decoded; !rest.empty();) {
    const Utf8Character character = first_utf8_character(rest);
    const bool unseen = is_invisible(character.value) && !has_use_after(previous, character.value);
    if (is_control(character.value)) {
      if (parts_words(character.value)) result += ' ';
    } else if (!unseen) {
      result += rest.substr(0, character.bytes);
    }
    previous = character.value;
    rest.remove_prefix(character.bytes);
  }
  return result;
}

std::string visible(std::string_view text, size_t max_characters) {
  std::string shown;
  for (size_t count = 0; !text.empty(); ++count) {
    if (count == max_characters) return shown + "…";
    const Utf8Character character = first_utf8_character(text);
    const bool hidden = is_invisible(character.value) && !is_joiner(character.value);
    if (is_control(character.value) || hidden || character.value == '\t') {
      shown += picture(character.value);
    } else {
      append_utf8(shown, character.value);
    }
    text.remove_prefix(character.bytes);
  }
  return shown;
}

}  // namespace heed::detail
