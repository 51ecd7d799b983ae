// Hints for unknown options and commands: heed's name for an option of another tool, an option of
// another command, or the nearest name. The names of other tools remain errors, since their units
// and defaults often differ.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "heed/core/options.h"

namespace heed {

// One name of heed and those of other tools for it.
struct OtherNames {
  std::string_view ours;          // as visited: "batch_tokens"; or a command
  std::string_view others;        // in lower case with '_', separated by spaces
  std::string_view note = "";     // an important difference from other tools
  std::string_view command = "";  // of an option: the only command that this row is for
};

std::span<const OtherNames> other_option_names();
std::span<const OtherNames> other_command_names();

// The hint of a message about an unknown option: "; did you mean '--beam'?", or nothing. `options`
// are the command's; `prefix` begins each name: "--" or, for a key of a file, "".
std::string option_hint(const std::string& command, const Options& options, std::string_view name,
                        std::string_view prefix);

// The same for a command, between the given quotes: "; did you mean 'evaluate'?".
std::string command_hint(std::string_view name, std::string_view open = "'",
                         std::string_view close = "'");

}  // namespace heed
