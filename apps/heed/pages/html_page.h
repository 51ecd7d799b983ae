// The frame that HTML pages share: one file, offline, in light and dark.
#pragma once

#include <string>
#include <vector>

namespace heed {

// A whole page. `title` is text, `body` is HTML.
std::string html_page(const std::string& title, const std::string& body);

// A row of a table; `tag` of its cells is "td" or "th".
std::string table_row(const std::vector<std::string>& cells, const char* tag);

}  // namespace heed
