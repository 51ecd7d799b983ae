// Reading the command line and TOML files: words, flags and keys, bound to the options of one
// command.
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

// Reads the file at `path`. Top-level keys apply to every command; those of a table named after a
// command ([translate]) to that command alone, and take precedence. ${NAME} in a text is that
// environment variable. A list in such a table replaces one at the top. UsageError with file
// and line for invalid TOML, a key that is not in `options`, `config` itself, a key twice in one
// table (as a_b and a-b), a text with NUL, or a table that is not named after a command.
std::vector<Assignment> read_config_file(const std::string& path, const Options& options,
                                         const std::string& command,
                                         const std::vector<std::string>& commands);

}  // namespace heed
