// The folder that a command writes with --output.
#pragma once

#include <filesystem>

namespace heed {

// What to do with files that the folder has already: --overwrite replaces them.
enum class Existing { refuse, replace };

// UsageError for "-": standard output cannot hold a folder.
void expect_folder_name(const std::filesystem::path& output);

}  // namespace heed
