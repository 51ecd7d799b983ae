#include "heed/text/gpt2_words.h"

#include "heed/core/unicode.h"
#include "heed/core/utf8.h"

namespace heed::detail {
namespace {

enum class CharacterClass { letter, number, space, other };

// The characters of the property White_Space, which \s matches.
bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

CharacterClass class_of(char32_t c) {
  if (is_space(c)) return CharacterClass::space;
  if (c < 0x80) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return CharacterClass::letter;
    return c >= '0' && c <= '9' ? CharacterClass::number : CharacterClass::other;
  }
  if (is_letter(c)) return CharacterClass::letter;
  return is_number(c) ? CharacterClass::number : CharacterClass::other;
}

// A character, its class and its length in bytes.
struct Character {
  CharacterClass of;
  size_t bytes;
};

Character first_of(std::string_view text) {
  const Utf8Character character = first_utf8_character(text);
  return {class_of(character.value), character.bytes};
}

// The bytes of a run of characters of one class, and of the last character of it.
struct Run {
  size_t bytes, last;
};

Run run_of(std::string_view text, CharacterClass wanted) {
  Run run{0, 0};
  while (run.bytes < text.size()) {
    const Character next = first_of(text.substr(run.bytes));
    if (next.of != wanted) break;
    run.bytes += next.bytes;
    run.last = next.bytes;
  }
  return run;
}

size_t contraction(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.starts_with(ending)) return ending.size();
  return 0;
}

}  // namespace

size_t first_gpt2_word(std::string_view text) {
  if (const size_t bytes = contraction(text); bytes > 0) return bytes;
  const size_t space = text.front() == ' ' ? 1 : 0;
  if (text.size() > space) {
    const CharacterClass of = first_of(text.substr(space)).of;
    if (of != CharacterClass::space) return space + run_of(text.substr(space), of).bytes;
  }
  // White space: its last character belongs to the word that follows, if there is one.
  const Run run = run_of(text, CharacterClass::space);
  const bool at_end = run.bytes == text.size();
  return at_end || run.bytes == run.last ? run.bytes : run.bytes - run.last;
}

}  // namespace heed::detail
