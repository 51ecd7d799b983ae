// Options from a TOML file.
#pragma once

#include <string>
#include <vector>

#include "console/arguments.h"

namespace heed {

// Reads the file at `path`. Keys at its top hold for every command; those of a table named after a
// command ([translate]) for that command alone, and come last. ${NAME} in a text is that
// environment variable. A list of such a table replaces one at the top. Throws UsageError naming
// file and line for text that is no TOML, a key that `options` lacks, `config` itself, a key twice
// in one table (as a_b and a-b), a text with NUL, or a table of no command.
std::vector<Assignment> read_config_file(const std::string& path, const Options& options,
                                         const std::string& command,
                                         const std::vector<std::string>& commands);

}  // namespace heed
