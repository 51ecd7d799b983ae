// The elements of HTML, by their names in lower case.
#pragma once

#include <string_view>

namespace heed::detail {

// Those that end a sentence. Of elements that HTML does not know, browsers make inline ones.
bool is_html_block(std::string_view name);
// Those without content.
bool is_html_void(std::string_view name);
// All that HTML has or had.
bool is_html_element(std::string_view name);

}  // namespace heed::detail
