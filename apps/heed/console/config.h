// Options from a TOML file.
#pragma once

#include <string>
#include <vector>

#include "console/arguments.h"

namespace heed {

// Reads the file at `path`. Top-level keys apply to every command; those of a table named after a
// command ([translate]) to that command alone, and take precedence. ${NAME} in a text is that
// environment variable. A list in such a table replaces one at the top. UsageError with file
// and line for invalid TOML, a key that is not in `options`, `config` itself, a key twice in one
// table (as a_b and a-b), a text with NUL, or a table that is not named after a command.
std::vector<Assignment> read_config_file(const std::string& path, const Options& options,
                                         const std::string& command,
                                         const std::vector<std::string>& commands);

}  // namespace heed
