#include "text_files.h"

#include "heed/core/error.h"

namespace heed {

void expect_as_many_lines(const std::string& first_path, size_t first_lines,
                          const std::string& path, size_t lines) {
  if (lines == first_lines) return;
  fail("{} has {} lines and {} has {}: line i of both must belong to the same sentence", first_path,
       first_lines, path, lines);
}

}  // namespace heed
