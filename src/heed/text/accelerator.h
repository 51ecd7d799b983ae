// The sign before a letter of a menu or a button that is pressed to choose it: "_Open", "&Save",
// "~File" and, in Chinese and Japanese, "保存(&S)".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/protected_spans.h"

namespace heed {

struct Accelerator {
  char sign = '&';      // or _ or ~
  char32_t letter = 0;  // that it stands before, in lowercase; or a digit
};

// Removes the sign of a text that has one, outside of these spans of it; with the letter and the
// parentheses where it has these. A sign within a word counts if the word begins with a capital and
// goes on in lowercase ("E_xit", but not max_size and R&D). Nothing where two signs may be meant.
std::optional<Accelerator> take_accelerator(std::string& text,
                                            const std::vector<ProtectedSpan>& spans);

// The text with the sign before one letter: the same letter, if it can be at the beginning of a
// word, otherwise the first letter. Text without spaces between words gets "(&S)" behind it. Not
// within the spans of the text.
std::string with_accelerator(std::string text, const Accelerator& accelerator,
                             const std::vector<ProtectedSpan>& spans);

}  // namespace heed
