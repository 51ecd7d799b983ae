#include "text_files.h"

#include "heed/text/lines.h"

namespace heed {

std::vector<std::string> read_lines(const std::string& path) {
  LineReader reader = path == "-" ? LineReader(0, "standard input") : LineReader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

}  // namespace heed
