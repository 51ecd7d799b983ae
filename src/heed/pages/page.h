// Pages for browsers: each is one HTML file that needs no network.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// A part of a page's data that the browser unpacks when it is looked at: JSON, and numbers that
// belong to it. Compressed, as text (base64).
std::string page_block(std::string_view json, std::span<const uint16_t> numbers = {});

// How a page is first shown, unless its reader has chosen on another one. Empty: as the browser
// prefers.
struct PageLook {
  std::string language;  // "en" or "zh"
  std::string theme;     // "light" or "dark"
};

struct Page {
  std::string kind;                      // "attention": which files of pages/assets it consists of
  std::string title = {};                // text
  std::string data = {};                 // JSON
  std::vector<std::string> blocks = {};  // of page_block()
  PageLook look = {};
};

std::string page_html(const Page& page);

}  // namespace heed
