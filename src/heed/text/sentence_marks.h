// Punctuation that may end a sentence, of all scripts.
#pragma once

namespace heed::detail {

// Marks at the end of a sentence.
enum class Mark {
  none,
  full_stop,  // also of abbreviations
  ellipsis,
  question,   // or an exclamation
  wide_stop,  // full stops of scripts that use them for nothing else
  wide_question
};

// `before` is the character before it, 0 at the beginning of a sentence: some characters are marks
// only in their script.
Mark mark_of(char32_t character, char32_t before);

}  // namespace heed::detail
