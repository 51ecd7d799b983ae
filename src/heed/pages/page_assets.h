// Files for browsers that the build makes part of the program (cmake/EmbedFiles.cmake), among them
// those that pages are made of: the files of pages/assets.
#pragma once

#include <span>
#include <string_view>

namespace heed {

struct EmbeddedFile {
  std::string_view name;  // "index.html"
  std::string_view content_type;
  std::string_view content;
  std::string_view etag;  // a hash of the content, with its quotation marks
};

std::span<const EmbeddedFile> page_assets();
// The file of this name, which must be one of them.
const EmbeddedFile& page_asset(std::string_view name);

}  // namespace heed
