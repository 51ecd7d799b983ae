// heed options --markdown: docs/options.md, from the options themselves.
#include "commands/commands.h"
#include "console/help.h"

namespace heed {
namespace {

struct OptionsSettings {
  bool markdown = false;

  static void visit(auto& self, auto&& v) {
    v.group("Output");
    v("markdown", self.markdown, {.help = "Print the page docs/options.md"});
  }
};

std::string markdown_page() {
  std::string page =
      "# Options\n\n"
      "Written by `heed options --markdown > docs/options.md`; do not edit. Every option is a flag "
      "(`--batch-tokens 2048`; one that is on or off: `--lowercase`, `--no-lowercase`) and a key "
      "of the TOML file that `--config` names (`batch_tokens = 2048`). Flags take precedence over "
      "the file. If an option is given twice, the last value is used; the values of a list are "
      "joined. Keys at the top of the file apply to every command, those of a table `[train]` to "
      "`heed train` alone; `${NAME}` in a string of the file is replaced by the value of that "
      "environment variable.\n";
  for (const Command& command : all_commands()) {
    if (command.hidden) continue;
    const std::string words = fmt::format("{}{}", command.words.empty() ? "" : " ", command.words);
    page += fmt::format("\n## heed {}{}\n\n{}.\n", command.name, words, command.summary);
    if (!command.description.empty()) page += fmt::format("\n{}\n", command.description);
    page += options_markdown(command.options());
  }
  CommonSettings common;
  return page + "\n## Every command\n" + options_markdown(options_of(common));
}

int run_options(const OptionsSettings& settings, const Words&, Console& console) {
  if (settings.markdown) {
    console.out().write(markdown_page());
    return 0;
  }
  for (const Command& command : all_commands()) {
    console.out().write(command_help(command) + "\n");
  }
  return 0;
}

}  // namespace

Command make_options_command() {
  return with_settings(
      run_options,
      {.name = "options", .summary = "Lists the options of every command", .hidden = true});
}

}  // namespace heed
