// The text of --help and docs/options.md, from the options' visits.
#pragma once

#include <string>

#include "heed/core/options.h"

namespace heed {

// Breaks `text` at spaces into lines of at most `width` columns, each after the first indented by
// `indent` spaces; `column` is where the first line begins.
std::string wrap(const std::string& text, size_t column, size_t indent, size_t width = 80);

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

}  // namespace heed
