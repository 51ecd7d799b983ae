// heed completion bash|zsh|fish: a completion script, from the same table of options as --help. It
// completes commands, options, the names that an option takes, files and directories, and is to be
// sourced by its shell, or installed where that shell looks.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "commands/commands.h"
#include "console/help.h"
#include "heed/core/shell_words.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// The offers of a shell after an option: as a word of bash's _heed_value, an action of zsh's
// _arguments and options of fish's complete.
struct Offer {
  std::string bash, zsh, fish;
};

Offer offer_of(const Option& option) {
  if (option.kind == OptionKind::flag) return {};
  const std::string names = joined(option.choices);
  if (option.kind == OptionKind::choice)
    return {"words " + names, "(" + names + ")", " -x -a " + shell_quoted(names)};
  if (option.info.value.starts_with("FILE")) return {"files", "_files", " -r -F"};
  if (option.info.value.starts_with("DIR"))
    return {"directories", "_files -/", " -x -a '(__fish_complete_directories)'"};
  return {"anything", "", " -x"};
}

// A command with all its options, those of every command included.
struct Entry {
  Command command;
  Options options;
};

std::vector<Entry> entries(CommonSettings& common) {
  std::vector<Entry> list;
  for (const Command& command : all_commands()) {
    if (command.hidden) continue;
    Options& options = list.emplace_back(Entry{command, command.options()}).options;
    for (Option& option : options_of(common)) options.push_back(std::move(option));
  }
  return list;
}

std::string command_names(const std::vector<Entry>& list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const Entry& entry : list) names.push_back(entry.command.name);
  return joined(names);
}

// The flags of an option: both forms of one that is on.
std::vector<std::string> flags_of(const Option& option) {
  if (!is_on_by_default(option)) return {option.flag()};
  return {option.flag(), "--no-" + option.flag().substr(2)};
}

// The option to which the word at the cursor belongs is read from the line: `--beam 4`, `--beam=4`
// (the shell cuts it at the sign), and lists, which go on until the next option.
constexpr std::string_view kBashEngine = R"bash(
_heed() {
  local current=${COMP_WORDS[COMP_CWORD]} command='' option='' kind='' distance=0 words=0 i word
  [[ $current == = ]] && current=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    [[ $word == = ]] && continue
    if [[ -z $command ]]; then
      [[ $word != -* ]] && command=$word
    elif [[ $word == --* ]]; then
      option=$word distance=0
      kind=$(_heed_value "$command" "$option")
    elif [[ $kind == 'list '* || (-n $kind && $distance -eq 0) ]]; then
      distance=1
    else
      words=$((words + 1))
    fi
  done
  COMPREPLY=()
  if [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_heed_commands) help --help --version" -- "$current")
    return
  fi
  if [[ $command == help ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_heed_commands)" -- "$current")
    return
  fi
  if [[ $kind != 'list '* && $distance -eq 1 ]]; then kind=''; fi
  if [[ -n $kind && $current != --* ]]; then
    _heed_offer "${kind#list }"
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_heed_flags "$command")" -- "$current")
  elif [[ $words -eq 0 && -n $(_heed_words "$command") ]]; then
    _heed_offer "words $(_heed_words "$command")"
  else
    _heed_offer files
  fi
}

# Needs `current` of its caller.
_heed_offer() {
  case $1 in
    words\ *) mapfile -t COMPREPLY < <(compgen -W "${1#words }" -- "$current") ;;
    files) mapfile -t COMPREPLY < <(compgen -f -- "$current"); compopt -o filenames 2>/dev/null ;;
    directories) mapfile -t COMPREPLY < <(compgen -d -- "$current"); compopt -o filenames 2>/dev/null ;;
  esac
}

complete -F _heed heed
)bash";

// A text inside an _arguments specification, where ':', '[' and ']' mean something.
std::string zsh_escaped(std::string_view text) {
  return replaced(text, {{':', "\\:"}, {'[', "\\["}, {']', "\\]"}, {'\\', "\\\\"}});
}

std::string zsh_arguments(const Entry& entry) {
  std::string text;
  const auto add = [&](const std::string& specification) {
    text += fmt::format("            {} \\\n", shell_quoted(specification));
  };
  for (const Option& option : entry.options) {
    const std::string help = zsh_escaped(option.info.help);
    for (const std::string& flag : flags_of(option)) {
      const std::string described = fmt::format("{}{}[{}]", option.list ? "*" : "", flag, help);
      add(option.kind == OptionKind::flag
              ? described
              : fmt::format("{}:{}:{}", described, option.name, offer_of(option).zsh));
    }
  }
  const std::string words = joined(entry.command.first_words);
  if (!words.empty()) add(fmt::format("1:what:({})", words));
  add("*:file:_files");  // the words that a command takes, and what goes on with a list
  return text + "            '--help[Say what the command takes]'\n";
}

std::string fish_line(const std::string& condition, const std::string& rest) {
  return fmt::format("complete -c heed -n {} {}\n", shell_quoted(condition), rest);
}

std::string fish_command(const Entry& entry) {
  const std::string name = entry.command.name;
  const std::string here = "__fish_seen_subcommand_from " + name;
  std::string text =
      fish_line("__fish_use_subcommand",
                fmt::format("-a {} -d {}", name, shell_quoted(entry.command.summary)));
  for (const Option& option : entry.options) {
    for (const std::string& flag : flags_of(option)) {
      text += fish_line(here, fmt::format("-l {}{} -d {}", flag.substr(2), offer_of(option).fish,
                                          shell_quoted(option.info.help)));
    }
  }
  const std::string words = joined(entry.command.first_words);
  if (!words.empty()) {
    text += fish_line(here + "; and not __fish_seen_subcommand_from " + words,
                      "-a " + shell_quoted(words));
    text += fish_line(here + "; and __fish_seen_subcommand_from " + words, "-F");
  }
  return text;
}

std::string bash_completion() {
  CommonSettings common;
  const std::vector<Entry> list = entries(common);
  std::string flags, words, values;
  for (const Entry& entry : list) {
    const std::string name = entry.command.name;
    std::vector<std::string> all{"--help"};
    for (const Option& option : entry.options) {
      for (const std::string& flag : flags_of(option)) all.push_back(flag);
    }
    flags += fmt::format("    {}) echo '{}' ;;\n", name, joined(all));
    words += fmt::format("    {}) echo '{}' ;;\n", name, joined(entry.command.first_words));
    for (const Option& option : entry.options)
      if (option.kind != OptionKind::flag)
        values += fmt::format("    '{} {}') echo '{}{}' ;;\n", name, option.flag(),
                              option.list ? "list " : "", offer_of(option).bash);
  }
  return fmt::format(
      "# Completion of heed for bash, printed by `heed completion bash`.\n\n"
      "_heed_commands() {{ echo '{}'; }}\n\n"
      "_heed_flags() {{\n  case $1 in\n{}  esac\n}}\n\n"
      "# What may be the first word after a command.\n"
      "_heed_words() {{\n  case $1 in\n{}  esac\n}}\n\n"
      "# What may follow an option.\n"
      "_heed_value() {{\n  case \"$1 $2\" in\n{}  esac\n}}\n{}",
      command_names(list), flags, words, values, kBashEngine);
}

std::string zsh_completion() {
  CommonSettings common;
  const std::vector<Entry> list = entries(common);
  std::string commands, cases;
  for (const Entry& entry : list) {
    const std::string name = entry.command.name;
    commands +=
        fmt::format("        {}\n",
                    shell_quoted(fmt::format("{}:{}", name, zsh_escaped(entry.command.summary))));
    cases += fmt::format("        {})\n          _arguments \\\n{}          ;;\n", name,
                         zsh_arguments(entry));
  }
  return fmt::format(
      "#compdef heed\n# Completion of heed for zsh, printed by `heed completion zsh`.\n\n"
      "_heed() {{\n  local context state line\n  typeset -A opt_args\n"
      "  _arguments -C '1:command:->command' '*::argument:->argument'\n"
      "  case $state in\n    command)\n      local -a commands\n      commands=(\n{}"
      "        'help:Says what a command takes'\n      )\n"
      "      _describe command commands\n      ;;\n"
      "    argument)\n      case $words[1] in\n{}"
      "        help) _values command {} ;;\n      esac\n      ;;\n  esac\n}}\n\n"
      "if [[ $funcstack[1] == _heed ]]; then\n  _heed \"$@\"\nelse\n  compdef _heed heed\nfi\n",
      commands, cases, command_names(list));
}

std::string fish_completion() {
  std::string text =
      "# Completion of heed for fish, printed by `heed completion fish`.\n\ncomplete -c heed -f\n";
  CommonSettings common;
  const std::vector<Entry> list = entries(common);
  for (const Entry& entry : list) text += fish_command(entry);
  text += fish_line("__fish_use_subcommand", "-a help -d 'Says what a command takes'");
  text += fish_line("__fish_seen_subcommand_from help", "-a " + shell_quoted(command_names(list)));
  text += "complete -c heed -l help -d 'Say what heed or a command takes'\n";
  return text + fish_line("__fish_use_subcommand", "-l version -d 'Show the build'");
}

const Words kShells{"bash", "zsh", "fish"};

// $SHELL is a path.
std::string shell_meant_by(const Words& words) {
  const std::string shell = std::filesystem::path(words[0]).filename().string();
  return std::ranges::count(kShells, shell) > 0 ? "heed completion " + shell : "";
}

int run_completion(const Words& words, Console& console) {
  if (words.size() != 1)
    fail_usage("expected 'heed completion bash', 'heed completion zsh' or 'heed completion fish'");
  console.out().write(words[0] == "bash"  ? bash_completion()
                      : words[0] == "zsh" ? zsh_completion()
                                          : fish_completion());
  return 0;
}

}  // namespace

Command make_completion_command() {
  return {.name = "completion",
          .summary = "Prints the completion script of a shell",
          .description =
              "cmake --install installs it. Otherwise add 'source <(heed completion bash)' to "
              "~/.bashrc, or 'source <(heed completion zsh)' to ~/.zshrc after compinit, or run "
              "'heed completion fish > ~/.config/fish/completions/heed.fish'.",
          .words = "bash|zsh|fish",
          .first_words = kShells,
          .meant_by = shell_meant_by,
          .run = run_completion};
}

}  // namespace heed
