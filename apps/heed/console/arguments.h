// Reading the command line: words and flags, bound to the options of one command.
//
// The flags come from the options' visit. CONTRIBUTING.md (Dependencies) says why no parser library
// is used.
#pragma once

#include <string>
#include <vector>

#include "heed/core/options.h"

namespace heed {

// A value that waits to be assigned, and where it was written ("--beam", "run.toml:3: beam").
struct Assignment {
  const Option* option = nullptr;
  std::vector<std::string> texts;
  std::string where;
};

struct Arguments {
  std::vector<std::string> words;  // what is neither a flag nor a flag's value
  // The option, of one value, that the first word follows: where it is surplus, most likely its
  // second value.
  const Option* before_words = nullptr;
  std::vector<Assignment> assignments;
  bool help = false;
};

// Reads `--name value`, `--name=value`, `--flag`, `--no-flag` and `--list a b c`. The last of
// several values of one option wins, those of a list add up. Everything after `--` is a word.
// Throws UsageError that names `command` for flags that `options` (which must outlive the result)
// lacks.
Arguments read_arguments(const std::vector<std::string>& arguments, const Options& options,
                         const std::string& command);

// Assigns them in order; of one list all in one.
void apply(const std::vector<Assignment>& assignments);

}  // namespace heed
