// Reading the command line: words and flags, bound to the options of one command.
//
// The flags come from the options' visit. CONTRIBUTING.md (Dependencies) says why no parser library
// is used.
#pragma once

#include <string>
#include <vector>

#include "heed/core/options.h"

namespace heed {

// A value that is not assigned yet, and where it was written ("--beam", "run.toml:3: beam").
struct Assignment {
  const Option* option = nullptr;
  std::vector<std::string> texts;
  std::string where;
};

struct Arguments {
  std::vector<std::string> words;  // arguments that are neither flags nor their values
  // The option of one value that precedes the first word, which is most likely a surplus value of
  // it if the command takes no such word.
  const Option* before_words = nullptr;
  std::vector<Assignment> assignments;
  bool help = false;
};

// Reads `--name value`, `--name=value`, `--flag`, `--no-flag` and `--list a b c`. Of several
// values of one option the last is used, those of a list are joined. Everything after `--` is a
// word. UsageError that names `command` for flags that are not in `options`, which must outlive the
// result.
Arguments read_arguments(const std::vector<std::string>& arguments, const Options& options,
                         const std::string& command);

// Assigns the values in order, all values of a list together.
void apply(const std::vector<Assignment>& assignments);

}  // namespace heed
