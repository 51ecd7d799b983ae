// A subcommand as data. Each file of commands/ makes one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "console/console.h"
#include "heed/core/options.h"

namespace heed {

using Words = std::vector<std::string>;

struct Command {
  std::string name;
  // A short line for the list of commands, and a paragraph for --help.
  std::string summary = {}, description = {};
  // The positional arguments: "model DIR|PRESET"; in brackets if there may be none.
  std::string words = {};
  // The allowed first words if they are a fixed set: "model", "data".
  Words first_words = {};
  // For other first words the command line that was most likely meant, such as "heed inspect model
  // zh-en"; empty if unknown.
  std::string (*meant_by)(const Words& words) = [](const Words&) { return std::string(); };
  // Sets of options of which the command needs one, in addition to its required options:
  // {{"source", "target"}, {"tsv"}}.
  std::vector<Words> inputs = {};
  // Not listed: for development of heed.
  bool hidden = false;
  // Advice for when memory did not suffice.
  std::string memory_advice = "grant more";
  // Bound to this command's settings, which copies of the command share.
  std::function<Options()> options = [] { return Options(); };
  // Called once, with the settings filled and within their ranges. Returns the program's status;
  // throws UsageError unless the words are as many as `words` says.
  std::function<int(const Words&, Console&)> run = {};
};

// A command whose settings are a struct with a visit.
template <class Settings>
Command with_settings(int (*run)(const Settings&, const Words&, Console&), Command command) {
  const auto settings = std::make_shared<Settings>();
  command.options = [settings] { return options_of(*settings); };
  command.run = [settings, run](const Words& words, Console& console) {
    return run(*settings, words, console);
  };
  return command;
}

// Every command, in the order of the help.
std::vector<Command> all_commands();

// The options that every command has in addition to its own.
struct CommonSettings {
  std::string config;
  bool quiet = false;

  static void visit(auto& self, auto&& v) {
    v.group("General");
    v("config", self.config,
      {.help = "TOML file of options; flags take precedence",
       .value = "FILE",
       .ignored_in_comparison = true});
    v("quiet", self.quiet,
      {.help = "Print only results, warnings and errors", .ignored_in_comparison = true});
  }
};

// Runs the command line (without the program's name) and throws what went wrong. Returns the
// status.
int run_program(const std::vector<std::string>& arguments, Console& console);

}  // namespace heed
