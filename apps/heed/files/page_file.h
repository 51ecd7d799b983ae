// Files for the pages that commands write with --html.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "console/console.h"
#include "files/text_output.h"

namespace heed {

// The file of a page. It is opened before the command's work, so that a path that cannot be written
// fails at once; a file that was there stays until write().
class PageFile {
 public:
  // `path` is the value of --html, which may be empty: no page is wanted. UsageError for standard
  // output, which has the command's result, for a file that the command also reads, and for
  // `output`, that of --output. Error if the file cannot be created.
  PageFile(const std::string& path, const std::vector<std::string>& read, Console& console,
           const std::string& output = "");

  bool wanted() const { return file_.has_value(); }
  // Call once, if wanted().
  void write(const std::string& html);

 private:
  std::optional<TextOutput> file_;
};

}  // namespace heed
