// Runs the built program as a user would.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heed::testing {

struct RunResult {
  int status = -1;  // the exit status; 128 + the signal's number if one ended it
  std::string out, err;
};

// Where standard output goes.
enum class OutputTo { file, full_disk, closed_pipe };

// Runs `heed ARGUMENTS...` in `directory` with `input` on standard input.
RunResult run_heed(const std::vector<std::string>& arguments,
                   const std::filesystem::path& directory = ".", const std::string& input = "",
                   OutputTo output = OutputTo::file);

}  // namespace heed::testing
