// What a subcommand is. One file per subcommand makes one of these.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "console.h"
#include "heed/core/options.h"

namespace heed {

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string name() const = 0;
  // What stands in a list of commands: half a line.
  virtual std::string summary() const = 0;
  // A paragraph for --help; may be empty.
  virtual std::string description() const { return ""; }
  // The words it takes beside options: "model DIR|PRESET".
  virtual std::string words() const { return ""; }
  // What may stand as the first of them, where that is one of a few: "model", "data".
  virtual std::vector<std::string> first_words() const { return {}; }
  // The command line that words without any of these as their first most likely mean, such as
  // "heed inspect model zh-en"; empty where they do not say which.
  virtual std::string meant_by(const std::vector<std::string>& words) const {
    static_cast<void>(words);
    return "";
  }
  // Sets of options of which the command needs one, beside its required options:
  // {{"source", "target"}, {"tsv"}}.
  virtual std::vector<std::vector<std::string>> inputs() const { return {}; }
  // Not listed: a tool for the project's own use.
  virtual bool hidden() const { return false; }
  // Bound to this command's settings.
  virtual Options options() = 0;
  // Called once, with its settings filled and within their ranges. `words` are as many as words()
  // says or the command throws UsageError.
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

// Of a command that has none of its own.
struct NoSettings {
  template <class Self, class Visitor>
  static void visit(Self&, Visitor&&) {}
};

std::unique_ptr<Command> make_train_command();
std::unique_ptr<Command> make_translate_command();
std::unique_ptr<Command> make_evaluate_command();
std::unique_ptr<Command> make_score_command();
std::unique_ptr<Command> make_average_command();
std::unique_ptr<Command> make_quantize_command();
std::unique_ptr<Command> make_inspect_command();
std::unique_ptr<Command> make_bench_command();
std::unique_ptr<Command> make_phrasebook_command();
std::unique_ptr<Command> make_demo_command();
std::unique_ptr<Command> make_version_command();
std::unique_ptr<Command> make_completion_command();
std::unique_ptr<Command> make_manual_command();
std::unique_ptr<Command> make_options_command();

// All of them, in the order of the help.
std::vector<std::unique_ptr<Command>> all_commands();

// The options that every command has beside its own.
struct CommonSettings {
  std::string config;
  bool quiet = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("General");
    v("config", self.config,
      {.help = "TOML file of options; flags win over it", .value = "FILE", .incidental = true});
    v("quiet", self.quiet, {.help = "Print only results, warnings and errors", .incidental = true});
  }
};

// `heed --help`, and `heed COMMAND --help`.
std::string program_help();
std::string command_help(Command& command);

// Runs the command line (without the program's name) and throws what went wrong. Returns the
// status.
int run_program(const std::vector<std::string>& arguments, Console& console);

}  // namespace heed
