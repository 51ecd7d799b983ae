// The usage line of a command, and what an incomplete or surplus command line is told.
#pragma once

#include <string>

#include "arguments.h"
#include "command.h"

namespace heed {

// "heed score --model DIR --source FILE --target FILE [options]": what a command needs.
std::string usage(Command& command);

// Throws a UsageError that names everything that the command needs and has not been given.
void expect_complete(Command& command, const std::vector<std::string>& words);

// Throws a UsageError for words that the command does not take, with what was most likely meant.
void expect_words(Command& command, const Arguments& given);

}  // namespace heed
