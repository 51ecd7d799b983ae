// A file for browsers that the build makes part of the program (cmake/EmbedFiles.cmake).
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

}  // namespace heed
