#include "text_files.h"

#include "heed/core/error.h"
#include "heed/text/lines.h"

namespace heed {

std::vector<std::string> read_lines(const std::string& path) {
  LineReader reader = path == "-" ? LineReader(0, "standard input") : LineReader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

void expect_as_many_lines(const std::string& first_path, const std::vector<std::string>& first,
                          const std::string& path, const std::vector<std::string>& lines) {
  if (lines.size() == first.size()) return;
  fail("{} has {} lines and {} has {}: line i of both must belong to the same sentence", first_path,
       first.size(), path, lines.size());
}

}  // namespace heed
