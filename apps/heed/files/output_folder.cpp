#include "files/output_folder.h"

#include "heed/core/error.h"

namespace heed {

void expect_folder_name(const std::filesystem::path& output) {
  if (output == "-")
    fail_usage(
        "--output -: standard output cannot hold a folder; expected a folder (./- is one named -)");
}

}  // namespace heed
