// heed manual: the man page heed(1), from the same table of options as --help.
#include "commands/commands.h"
#include "console/help.h"
#include "heed/core/version.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

// Text escaped for roff: no special characters, no line that looks like a request.
std::string roff(std::string_view text) {
  const bool is_request = text.starts_with('.') || text.starts_with('\'');
  return (is_request ? "\\&" : "") + replaced(text, {{'\\', "\\e"},
                                                     {'-', "\\-"},
                                                     {'\'', "\\(aq"},
                                                     {'~', "\\(ti"},
                                                     {'^', "\\(ha"},
                                                     {'`', "\\(ga"}});
}

std::string bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string tagged(const std::string& tag, const std::string& text) {
  return fmt::format(".TP\n{}\n{}\n", tag, text);
}

// "--beam N": the flag in bold, its value in italics.
std::string option_tag(const Option& option) {
  const std::string words = flag_words(option);
  const size_t space = words.find(' ');
  if (space == words.npos) return bold(words);
  return bold(words.substr(0, space)) + " \\fI" + roff(words.substr(space + 1)) + "\\fR";
}

std::string options_roff(const Options& options) {
  std::string text, group;
  for (const Option& option : options) {
    if (option.group != group) {
      text += fmt::format(".PP\n\\fI{}\\fR\n", roff(group = option.group));
    }
    text += tagged(option_tag(option), roff(option_sentence(option)) + ".");
  }
  return text;
}

std::string command_roff(const Command& command) {
  const std::string words = command.words.empty() ? "" : " " + command.words;
  std::string text =
      fmt::format(".SS heed {}{}\n{}.\n", roff(command.name), roff(words), roff(command.summary));
  if (!command.description.empty()) {
    text += fmt::format(".PP\n{}\n", roff(command.description));
  }
  return text + options_roff(command.options());
}

std::string page() {
  std::string text = fmt::format(
      ".\\\" Printed by heed manual; do not edit.\n"
      ".TH HEED 1 \"\" \"heed {}\" \"User Commands\"\n"
      ".SH NAME\nheed \\- train, measure and run the Transformer of \\(dqAttention Is All You "
      "Need\\(dq\n"
      ".SH SYNOPSIS\n.B heed\n.I COMMAND\n.RI [ options ]\n"
      ".SH DESCRIPTION\n"
      "Two text files in, where line i of one translates line i of the other; a translator out.\n"
      "Every option is a flag and a key of the TOML file that\n.B \\-\\-config\nnames.\n"
      "A flag that is on is switched off by\n.BR \\-\\-no\\-NAME .\n"
      ".SH COMMANDS\n",
      roff(version()));
  std::string details;
  for (const Command& command : all_commands()) {
    if (command.hidden) continue;
    text += tagged(bold(command.name), roff(command.summary) + ".");
    details += command_roff(command);
  }
  CommonSettings common;
  text += ".SH OPTIONS\nEvery command takes these.\n" + options_roff(options_of(common));
  text += tagged(bold("--help"), "Say what the command takes.");
  text += ".SH COMMANDS IN DETAIL\n" + details;
  text +=
      ".SH ENVIRONMENT\n" +
      tagged(bold("HEED_INSTRUCTION_SET"),
             "The instruction set to use, by one of the names that \\fBheed version\\fR lists.");
  text += ".SH EXIT STATUS\n" + tagged("0", "All went well.") + tagged("1", "It failed.") +
          tagged("2", "The command line or the configuration is wrong.") +
          tagged("130, 143", "A signal ended the training, which was saved.");
  return text +
         ".SH EXAMPLES\n.nf\n"
         "heed inspect data train.zh train.en \\-\\-html data.html\n"
         "heed train \\-\\-source train.zh \\-\\-target train.en \\-\\-model zh\\-en\n"
         "heed translate \\-\\-model zh\\-en \\-\\-input new.zh\n.fi\n";
}

int run_manual(const Words&, Console& console) {
  console.out().write(page());
  return 0;
}

}  // namespace

Command make_manual_command() {
  return {
      .name = "manual",
      .summary = "Prints the man page",
      .description = "cmake --install installs it (man heed). Otherwise: heed manual | man -l -",
      .run = run_manual};
}

}  // namespace heed
