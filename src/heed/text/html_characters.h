// Characters that HTML writes by name or number.
#pragma once

#include <string>
#include <string_view>

namespace heed {

// The place of a text of HTML, which determines where a name without a semicolon ends.
enum class HtmlPlace { text, attribute };

// The text with every character reference ("&amp;", "&#228;", "&copy" without its semicolon)
// replaced as browsers do; what is none stays. `html` is valid UTF-8, as the result is.
std::string decode_html(std::string_view html, HtmlPlace place = HtmlPlace::text);

// The text with & < > and no-break spaces, and " in an attribute, as character references.
std::string encode_html(std::string_view text, HtmlPlace place = HtmlPlace::text);

namespace detail {
// "amp;:26 amp:26 ...": names and code points, in the order of the names.
std::string_view html_entities();
}  // namespace detail

}  // namespace heed
