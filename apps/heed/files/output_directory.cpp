#include "files/output_directory.h"

#include "heed/core/error.h"

namespace heed {

void expect_directory_name(const std::filesystem::path& output) {
  if (output == "-")
    fail_usage(
        "--output -: standard output cannot hold a directory; expected a directory (./- is one "
        "named -)");
}

}  // namespace heed
