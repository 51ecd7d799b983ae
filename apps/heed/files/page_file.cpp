#include "files/page_file.h"

#include "files/text_files.h"
#include "files/text_output.h"
#include "heed/core/error.h"

namespace heed {

void expect_page_file(const std::string& path, const std::vector<std::string>& read) {
  if (path == "-")
    fail_usage("--html -: standard output has the result; expected a file for the page");
  expect_another_file("--html", path, read);
}

void write_page(const std::string& path, const std::string& html, Console& console) {
  if (path.empty()) return;
  TextOutput output(path, console);
  output.write(html);
  output.commit();
}

}  // namespace heed
