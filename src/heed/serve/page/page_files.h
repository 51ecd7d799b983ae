// The web page: the files of this directory, which the build embeds (cmake/EmbedPage.cmake).
#pragma once

#include <span>
#include <string_view>

namespace heed {

struct PageFile {
  std::string_view path;  // of the URL: "/" for index.html, "/app.js"
  std::string_view content_type;
  std::string_view content;
  std::string_view etag;  // a hash of the content, with its quotation marks
};

std::span<const PageFile> page_files();

}  // namespace heed
