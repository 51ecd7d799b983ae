// The usage line and help of a command, and the errors for an incomplete or surplus command line.
#pragma once

#include <string>

#include "console/arguments.h"
#include "console/command.h"

namespace heed {

// "heed score --model DIR --source FILE --target FILE [options]": the required options of a
// command.
std::string usage(Command& command);

// The text of `heed COMMAND --help`.
std::string command_help(Command& command);

// UsageError that lists all missing options of the command.
void expect_complete(Command& command, const std::vector<std::string>& words);

// UsageError for words that the command does not take, with the option that was most likely meant.
void expect_words(Command& command, const Arguments& given);

}  // namespace heed
