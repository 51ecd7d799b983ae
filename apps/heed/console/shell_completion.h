// Completion scripts, from the same table of options as --help.
#pragma once

#include <string>

namespace heed {

// Complete commands, options, the names that an option takes, files and directories. Each script is
// to be sourced by its shell, or installed where that shell looks.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace heed
