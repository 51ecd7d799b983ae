// The inline markup of reStructuredText, as docutils finds it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heed::detail {

struct RstSpan {
  enum class Kind {
    emphasis,
    strong,
    literal,
    role,       // ":role:`text`", also without a role
    title,      // ":role:`text <target>`"
    link,       // "`text <address>`_"
    phrase,     // "`text`_", "`text`__"
    reference,  // "name_", "name__"
    footnote,   // "[1]_"
    substitution,
    target,  // "_`text`"
    address  // that stands alone
  } kind = Kind::emphasis;
  size_t begin = 0, end = 0;            // bytes
  size_t text_begin = 0, text_end = 0;  // of what it shows
};

// Whether it shows words that may be others.
bool encloses_words(RstSpan::Kind kind);

// In order; spans are never nested. Takes time linear in the length of the text.
std::vector<RstSpan> rst_spans(std::string_view text);

// Text without its escapes: a backslash and white space behind it are nothing.
std::string rst_unescaped(std::string_view text);

// Whether markup may begin behind a character, or end before it.
bool may_precede_rst(char32_t character);
bool may_follow_rst(char32_t character);

}  // namespace heed::detail
