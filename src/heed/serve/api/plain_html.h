// HTML that has no mark-up: text that needs no parser. Private to the sources of the server.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heed {

// The position of the first tag, comment, declaration or character reference ("&amp;", "&#39;") of
// HTML; nothing if the text means the same as plain text. '<' and '&' alone, as in "a < b" and
// "AT&T", are text.
std::optional<size_t> find_markup(std::string_view html);

// Plain text as HTML.
std::string escape_html(std::string_view text);

}  // namespace heed
