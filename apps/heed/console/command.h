// The interface of a subcommand. Each file of commands/ implements one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "console/console.h"
#include "heed/core/options.h"

namespace heed {

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string name() const = 0;
  // A short line for the list of commands.
  virtual std::string summary() const = 0;
  // A paragraph for --help; may be empty.
  virtual std::string description() const { return ""; }
  // The positional arguments: "model DIR|PRESET".
  virtual std::string words() const { return ""; }
  // The allowed first words if they are a fixed set: "model", "data".
  virtual std::vector<std::string> first_words() const { return {}; }
  // For other first words the command line that was most likely meant, such as "heed inspect model
  // zh-en"; empty if unknown.
  virtual std::string meant_by(const std::vector<std::string>& words) const {
    static_cast<void>(words);
    return "";
  }
  // Sets of options of which the command needs one, in addition to its required options:
  // {{"source", "target"}, {"tsv"}}.
  virtual std::vector<std::vector<std::string>> inputs() const { return {}; }
  // Not listed: for development of heed.
  virtual bool hidden() const { return false; }
  // Advice for when memory did not suffice; called after run().
  virtual std::string memory_advice() const { return "grant more"; }
  // Bound to this command's settings.
  virtual Options options() = 0;
  // Called once, with the settings filled and within their ranges. A command throws UsageError
  // unless `words` are as many as words() says.
  virtual int run(const std::vector<std::string>& words, Console& console) = 0;
};

// A command whose settings are a struct with a visit.
template <class Settings>
class CommandOf : public Command {
 public:
  Options options() override { return options_of(settings_); }

 protected:
  Settings settings_;
};

// Settings of a command without options.
struct NoSettings {
  template <class Self, class Visitor>
  static void visit(Self&, Visitor&&) {}
};

// Every command, in the order of the help: commands/commands.cpp lists them.
std::vector<std::unique_ptr<Command>> all_commands();

// The options that every command has in addition to its own.
struct CommonSettings {
  std::string config;
  bool quiet = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("General");
    v("config", self.config,
      {.help = "TOML file of options; flags take precedence",
       .value = "FILE",
       .ignored_in_comparison = true});
    v("quiet", self.quiet,
      {.help = "Print only results, warnings and errors", .ignored_in_comparison = true});
  }
};

}  // namespace heed
