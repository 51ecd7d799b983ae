// The grammar of command lines: the text of --help and docs/options.md, and the errors for an
// incomplete or surplus command line, from the options' visits.
#pragma once

#include <string>

#include "console/arguments.h"
#include "console/command.h"

namespace heed {

// How an option is written: "--beam N", "--source FILE...", "--[no-]inspect".
std::string flag_words(const Option& option);

// The help of an option with its range and default, without a full stop.
std::string option_sentence(const Option& option);

// Whether it is a flag that is on by default, and is turned off by "--no-NAME".
bool is_on_by_default(const Option& option);

// The options under their groups' headings, in 80 columns.
std::string options_help(const Options& options);

// The same as Markdown tables.
std::string options_markdown(const Options& options);

// "heed score --model DIR --source FILE --target FILE [options]": the required options of a
// command.
std::string usage(const Command& command);

// The text of `heed COMMAND --help`.
std::string command_help(const Command& command);

// UsageError that lists all missing options of the command.
void expect_complete(const Command& command, const std::vector<std::string>& words);

// UsageError for words that the command does not take, with the option that was most likely meant.
void expect_words(const Command& command, const Arguments& given);

}  // namespace heed
