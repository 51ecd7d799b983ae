#include "console/shell_completion.h"

#include <algorithm>

#include "console/command.h"
#include "console/help.h"
#include "heed/core/shell_words.h"

namespace heed {
namespace {

// What a shell should offer after an option.
enum class Offer { nothing, names, files, directories, anything };

Offer offer_of(const Option& option) {
  if (option.kind == OptionKind::flag) return Offer::nothing;
  if (option.kind == OptionKind::choice) return Offer::names;
  if (option.info.value.starts_with("FILE")) return Offer::files;
  return option.info.value.starts_with("DIR") ? Offer::directories : Offer::anything;
}

// A command with all its options, those of every command included.
struct Entry {
  std::unique_ptr<Command> command;
  std::unique_ptr<CommonSettings> common;
  Options options;
};

std::vector<Entry> entries() {
  std::vector<Entry> list;
  for (auto& command : all_commands()) {
    if (command->hidden()) continue;
    Entry& entry = list.emplace_back();
    entry.options = command->options();
    entry.command = std::move(command);
    entry.common = std::make_unique<CommonSettings>();
    for (Option& option : options_of(*entry.common)) entry.options.push_back(std::move(option));
  }
  return list;
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::vector<std::string> command_names(const std::vector<Entry>& list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const Entry& entry : list) names.push_back(entry.command->name());
  return names;
}

// The flags of an option: both forms of one that is on.
std::vector<std::string> flags_of(const Option& option) {
  if (!is_on_by_default(option)) return {option.flag()};
  return {option.flag(), "--no-" + option.flag().substr(2)};
}

std::string bash_cases(const Entry& entry) {
  const std::string name = entry.command->name();
  std::string cases;
  for (const Option& option : entry.options) {
    const char* const lasting = option.list ? "list " : "";
    std::string offer;
    switch (offer_of(option)) {
      case Offer::nothing:
        continue;
      case Offer::names:
        offer = fmt::format("words {}", joined(option.choices));
        break;
      case Offer::files:
        offer = "files";
        break;
      case Offer::directories:
        offer = "directories";
        break;
      case Offer::anything:
        offer = "anything";
        break;
    }
    cases += fmt::format("    '{} {}') echo '{}{}' ;;\n", name, option.flag(), lasting, offer);
  }
  return cases;
}

// Which option the word at the cursor belongs to is read from the line: `--beam 4`, `--beam=4` (the
// shell cuts it at the sign), and lists, which go on until the next option.
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
  std::string result;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action(const Option& option) {
  switch (offer_of(option)) {
    case Offer::names:
      return "(" + joined(option.choices) + ")";
    case Offer::files:
      return "_files";
    case Offer::directories:
      return "_files -/";
    case Offer::nothing:
    case Offer::anything:
      break;
  }
  return "";
}

std::string zsh_arguments(const Entry& entry) {
  std::string text;
  const auto add = [&](const std::string& specification) {
    text += fmt::format("            {} \\\n", shell_quoted(specification));
  };
  for (const Option& option : entry.options) {
    const std::string help = zsh_escaped(option.info.help);
    for (const std::string& flag : flags_of(option)) {
      if (option.kind == OptionKind::flag) {
        add(fmt::format("{}[{}]", flag, help));
      } else {
        add(fmt::format("{}{}[{}]:{}:{}", option.list ? "*" : "", flag, help, option.name,
                        zsh_action(option)));
      }
    }
  }
  const std::string words = joined(entry.command->first_words());
  if (!words.empty()) add(fmt::format("1:what:({})", words));
  add("*:file:_files");  // the words that a command takes, and what goes on with a list
  return text + "            '--help[Say what the command takes]'\n";
}

std::string fish_line(const std::string& condition, const std::string& rest) {
  return fmt::format("complete -c heed -n {} {}\n", shell_quoted(condition), rest);
}

std::string fish_offer(const Option& option) {
  switch (offer_of(option)) {
    case Offer::nothing:
      return "";
    case Offer::names:
      return " -x -a " + shell_quoted(joined(option.choices));
    case Offer::files:
      return " -r -F";
    case Offer::directories:
      return " -x -a '(__fish_complete_directories)'";
    case Offer::anything:
      break;
  }
  return " -x";
}

std::string fish_command(const Entry& entry) {
  const std::string name = entry.command->name();
  const std::string here = "__fish_seen_subcommand_from " + name;
  std::string text =
      fish_line("__fish_use_subcommand",
                fmt::format("-a {} -d {}", name, shell_quoted(entry.command->summary())));
  for (const Option& option : entry.options) {
    for (const std::string& flag : flags_of(option)) {
      text += fish_line(here, fmt::format("-l {}{} -d {}", flag.substr(2), fish_offer(option),
                                          shell_quoted(option.info.help)));
    }
  }
  const std::string words = joined(entry.command->first_words());
  if (!words.empty()) {
    text += fish_line(here + "; and not __fish_seen_subcommand_from " + words,
                      "-a " + shell_quoted(words));
    text += fish_line(here + "; and __fish_seen_subcommand_from " + words, "-F");
  }
  return text;
}

}  // namespace

std::string bash_completion() {
  const std::vector<Entry> list = entries();
  std::string flags, words, values;
  for (const Entry& entry : list) {
    const std::string name = entry.command->name();
    std::vector<std::string> all{"--help"};
    for (const Option& option : entry.options) {
      for (const std::string& flag : flags_of(option)) all.push_back(flag);
    }
    flags += fmt::format("    {}) echo '{}' ;;\n", name, joined(all));
    words += fmt::format("    {}) echo '{}' ;;\n", name, joined(entry.command->first_words()));
    values += bash_cases(entry);
  }
  return fmt::format(
      "# Completion of heed for bash, printed by `heed completion bash`.\n\n"
      "_heed_commands() {{ echo '{}'; }}\n\n"
      "_heed_flags() {{\n  case $1 in\n{}  esac\n}}\n\n"
      "# What may be the first word after a command.\n"
      "_heed_words() {{\n  case $1 in\n{}  esac\n}}\n\n"
      "# What may follow an option.\n"
      "_heed_value() {{\n  case \"$1 $2\" in\n{}  esac\n}}\n{}",
      joined(command_names(list)), flags, words, values, kBashEngine);
}

std::string zsh_completion() {
  const std::vector<Entry> list = entries();
  std::string commands, cases;
  for (const Entry& entry : list) {
    const std::string name = entry.command->name();
    commands += fmt::format(
        "        {}\n",
        shell_quoted(fmt::format("{}:{}", name, zsh_escaped(entry.command->summary()))));
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
      commands, cases, joined(command_names(list)));
}

std::string fish_completion() {
  std::string text =
      "# Completion of heed for fish, printed by `heed completion fish`.\n\ncomplete -c heed -f\n";
  const std::vector<Entry> list = entries();
  for (const Entry& entry : list) text += fish_command(entry);
  text += fish_line("__fish_use_subcommand", "-a help -d 'Says what a command takes'");
  text += fish_line("__fish_seen_subcommand_from help",
                    "-a " + shell_quoted(joined(command_names(list))));
  text += "complete -c heed -l help -d 'Say what heed or a command takes'\n";
  return text + fish_line("__fish_use_subcommand", "-l version -d 'Show the build'");
}

}  // namespace heed
