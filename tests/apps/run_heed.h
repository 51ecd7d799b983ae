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

// A folder of its own that goes with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Writes a file in it and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

std::string read_whole(const std::filesystem::path& path);

}  // namespace heed::testing
