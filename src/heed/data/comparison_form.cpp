#include "heed/data/comparison_form.h"

#include <algorithm>

#include "heed/core/hash.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"

namespace heed::detail {
namespace {

// utf8proc needs about 12 bytes of memory for each byte.
constexpr size_t kMaxComposedBytes = size_t{1} << 20;

// Characters that nmt_nfkc reads as a space, beside those that NFKC makes one.
bool is_space_to_model(char32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v') || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x2581 || c == 0x3000 || c == 0xFEFF;
}

bool is_removed(char32_t c) {
  return c < 0x20 || c == 0x7F || c == 0x8F || c == 0x9F;
}

// Characters that NFKC keeps, whatever is next to them but a combining mark, which is none of them:
// common letters and punctuation, so that most lines need no table.
bool is_kept(char32_t c) {
  return c < 0x7F || (c >= 0xC0 && c <= 0x131) || (c >= 0x134 && c <= 0x13E) ||
         (c >= 0x141 && c <= 0x148) || (c >= 0x14A && c <= 0x17E) || (c >= 0x400 && c <= 0x482) ||
         (c >= 0x2010 && c <= 0x2022 && c != 0x2011 && c != 0x2017) ||
         (c >= 0x3001 && c <= 0x3020) || (c >= 0x3041 && c <= 0x3096) ||
         (c >= 0x30A1 && c <= 0x30FA) || (c >= 0x4E00 && c <= 0x9FFF) ||
         (c >= 0xAC00 && c <= 0xD7A3);
}

bool is_plain_ascii(std::string_view line) {
  return std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c < 0x7F; });
}

// Without spaces at the ends, and one for several.
std::string with_single_spaces(std::string_view line) {
  std::string text;
  text.reserve(line.size());
  for (const char c : line) {
    if (c != ' ' || (!text.empty() && text.back() != ' ')) text.push_back(c);
  }
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace

std::string comparison_form(std::string_view line) {
  if (is_plain_ascii(line)) return with_single_spaces(line);
  std::string text;
  text.reserve(line.size());
  bool valid = true, composed = true;
  for (std::string_view rest = line; !rest.empty();) {
    const Utf8Character character = first_utf8_character(rest);
    const char32_t c = character.value;
    if (!character.valid) {
      valid = false;
      text.append(rest.substr(0, character.bytes));
    } else if (is_space_to_model(c)) {
      text.push_back(' ');
    } else if (c >= 0xFF01 && c <= 0xFF5E) {  // full width
      text.push_back(char(c - 0xFF01 + '!'));
    } else if (!is_removed(c)) {
      composed &= is_kept(c);
      text.append(rest.substr(0, character.bytes));
    }
    rest.remove_prefix(character.bytes);
  }
  if (valid && !composed && text.size() <= kMaxComposedBytes) text = nfkc(text);
  return with_single_spaces(text);
}

uint64_t line_fingerprint(std::string_view line) {
  return hash_of(comparison_form(line));
}

}  // namespace heed::detail
