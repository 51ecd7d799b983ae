// The directory that a command writes with --output.
#pragma once

#include <filesystem>

namespace heed {

// What to do with existing files in the directory: --overwrite replaces them.
enum class Existing { refuse, replace };

// UsageError for "-", which is not a directory.
void expect_directory_name(const std::filesystem::path& output);

}  // namespace heed
