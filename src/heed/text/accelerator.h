// The sign before a letter of a menu or a button that is pressed to choose it: "_Open", "&Save",
// "~File" and, in Chinese and Japanese, "保存(&S)".
#pragma once

#include <optional>
#include <string>

namespace heed {

struct Accelerator {
  char sign = '&';      // or _ or ~
  char32_t letter = 0;  // that it stands before, in lowercase; or a digit
};

// Removes the sign of a text that has one; with the letter and the parentheses where it has these,
// unless no other letter is left. A sign within a word counts if the word begins with a capital and
// goes on in lowercase ("E_xit", but not max_size and R&D). Nothing where two signs may be meant,
// before the name of a function ("_exit()"), or within a placeholder, an address, a path or code.
std::optional<Accelerator> take_accelerator(std::string& text);

// The text with the sign before one letter: the same letter where a word begins with it, or where
// the only word has it, otherwise the first letter. Text without spaces between words gets "(&S)"
// behind it. Not within placeholders, addresses, paths and code.
std::string with_accelerator(std::string text, const Accelerator& accelerator);

}  // namespace heed
