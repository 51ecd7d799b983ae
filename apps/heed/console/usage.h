// The usage line and help of a command, and the errors for an incomplete or surplus command line.
#pragma once

#include <string>

#include "console/arguments.h"
#include "console/command.h"

namespace heed {

// "heed score --model DIR --source FILE --target FILE [options]": what a command needs.
std::string usage(Command& command);

// The text of `heed COMMAND --help`.
std::string command_help(Command& command);

// Throws a UsageError that names everything that the command needs and has not been given.
void expect_complete(Command& command, const std::vector<std::string>& words);

// Throws a UsageError for words that the command does not take, with what was most likely meant.
void expect_words(Command& command, const Arguments& given);

}  // namespace heed
