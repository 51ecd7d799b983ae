#include "files/page_file.h"

#include <unistd.h>

#include <filesystem>

#include "files/text_files.h"
#include "heed/core/error.h"

namespace heed {

PageFile::PageFile(const std::string& path, const std::vector<std::string>& read, Console& console,
                   const std::string& output) {
  if (path.empty()) return;
  if (path == "-" || detail::is_name_of(path, STDOUT_FILENO))
    fail_usage("--html {}: standard output has the result; expected a file for the page", path);
  expect_another_file("--html", path, read);
  // Neither need exist yet.
  namespace fs = std::filesystem;
  const auto place = [](const std::string& name) {
    return fs::weakly_canonical(fs::absolute(name));
  };
  if (!output.empty() && place(path) == place(output))
    fail_usage("--html {} is also --output {}: expected two files", path, output);
  file_.emplace(path, console);
}

void PageFile::write(const std::string& html) {
  check(wanted(), "a page without a file");
  file_->write(html);
  file_->commit();
}

}  // namespace heed
