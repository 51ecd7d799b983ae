// The program without its main(): a command line in, a status out.
#pragma once

#include <string>
#include <vector>

#include "console/console.h"

namespace heed {

// Runs the command line (without the program's name) and throws what went wrong. Returns the
// status.
int run_program(const std::vector<std::string>& arguments, Console& console);

}  // namespace heed
