// The folder that a command writes with --output.
#pragma once

#include <filesystem>

namespace heed {

// What to do with existing files in the folder: --overwrite replaces them.
enum class Existing { refuse, replace };

// UsageError for "-", which is not a folder.
void expect_folder_name(const std::filesystem::path& output);

}  // namespace heed
