#include "console/help.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "heed/core/utf8.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

constexpr size_t help_column = 28;

// The placeholder of the value: "N", "X", "FILE", "NAME...".
std::string value_word(const Option& option) {
  if (option.kind == OptionKind::flag) return "";
  std::string word(option.info.value);
  if (word.empty()) {
    word = option.kind == OptionKind::integer  ? "N"
           : option.kind == OptionKind::number ? "X"
           : option.kind == OptionKind::choice ? "NAME"
                                               : "TEXT";
  }
  return option.list && !word.ends_with("...") ? word + "..." : word;
}

std::string allowed(const Option& option) {
  if (option.kind == OptionKind::choice) return fmt::format("{}", fmt::join(option.choices, ", "));
  const OptionInfo& info = option.info;
  std::string text;
  const auto add = [&](const std::string& bound) { text += (text.empty() ? "" : ", ") + bound; };
  if (std::isfinite(info.above)) add(fmt::format("above {}", info.above));
  const bool low = std::isfinite(info.minimum), high = std::isfinite(info.maximum);
  if (low && high) add(fmt::format("{} to {}", info.minimum, info.maximum));
  if (low && !high) add(fmt::format("at least {}", info.minimum));
  if (!low && high) add(fmt::format("at most {}", info.maximum));
  if (std::isfinite(info.below)) add(fmt::format("below {}", info.below));
  return text;
}

std::string default_of(const Option& option) {
  if (!option.info.default_text.empty()) return std::string(option.info.default_text);
  const std::string text = fmt::format("{}", fmt::join(option.defaults, " "));
  if (option.kind == OptionKind::flag) return text == "true" ? "on" : "off";
  return text.empty() ? "none" : text;
}

// A table's cell must not hold its separator.
std::string cell(std::string_view text) {
  return replaced(text, {{'|', "\\|"}});
}

namespace fs = std::filesystem;

const Option& option_named(const Options& options, const std::string& name) {
  const Option* option = find_option(options, name);
  check(option != nullptr, "inputs() names an option that the command lacks");
  return *option;
}

bool is_empty(const Option& option) {
  const std::vector<std::string> texts = option.read();
  return texts.empty() || (texts.size() == 1 && texts[0].empty());
}

// "--source FILE... --target FILE..."
std::string usage_flags(const Options& options, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : " ") + flag_words(option_named(options, name));
  return text;
}

// The missing options of the set of inputs of which some are given, or of the first set; empty if
// one set is complete.
std::vector<std::string> missing_inputs(const Command& command, const Options& options) {
  std::vector<std::string> missing;
  bool chosen = false;
  for (const std::vector<std::string>& set : command.inputs) {
    std::vector<std::string> absent;
    for (const std::string& name : set) {
      const Option& option = option_named(options, name);
      if (is_empty(option)) absent.push_back(option.flag());
    }
    if (absent.empty()) return {};
    const bool begun = absent.size() < set.size();
    if (missing.empty() || (begun && !chosen)) missing = absent;
    chosen = chosen || begun;
  }
  return missing;
}

std::string enumerated(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

// The option that a surplus word was most likely meant for: "--model zh-en".
std::string option_for_words(const Options& options, const std::vector<std::string>& words) {
  const std::string& word = words[0];
  const auto has = [&](const char* name) { return find_option(options, name) != nullptr; };
  std::error_code error;
  if (fs::is_directory(word, error)) return has("model") ? "--model " + word : "";
  if (fs::exists(word, error)) {
    if (word.ends_with(".toml")) return "--config " + word;
    if (has("input")) return "--input " + word;
    if (has("hypothesis")) return "--hypothesis " + word;
    if (has("source") && has("target"))
      return fmt::format("--source {} --target {}", word, words.size() > 1 ? words[1] : "FILE");
    return "";
  }
  const Option* output = find_option(options, "output");
  return output && output->info.required && !has("model") ? "--output " + word : "";
}

std::string in_question(const std::string& text) {
  return text.empty() ? "" : fmt::format("; did you mean '{}'?", text);
}

// UsageError unless the first word of a command is one of its few.
void expect_first_word(const Command& command, const std::vector<std::string>& words) {
  const std::vector<std::string> known = command.first_words;
  if (std::ranges::find(known, words[0]) != known.end()) return;
  const std::string line = command.meant_by(words);
  fail_usage("unexpected '{}'{} (usage: {})", excerpt(words[0]),
             line.empty() ? suggestion(words[0], known) : in_question(line), usage(command));
}

}  // namespace

std::string option_sentence(const Option& option) {
  std::string facts;
  const auto add = [&](const std::string& fact) {
    if (!fact.empty()) facts += (facts.empty() ? "" : "; ") + fact;
  };
  add(std::string(option.info.unit));
  add(allowed(option));
  add(option.info.required ? "required" : fmt::format("default {}", default_of(option)));
  return fmt::format("{} ({})", option.info.help, facts);
}

bool is_on_by_default(const Option& option) {
  return option.kind == OptionKind::flag && option.defaults == std::vector<std::string>{"true"};
}

std::string flag_words(const Option& option) {
  if (is_on_by_default(option)) return "--[no-]" + option.flag().substr(2);
  const std::string word = value_word(option);
  return word.empty() ? option.flag() : option.flag() + " " + word;
}

std::string options_help(const Options& options) {
  std::string text, group;
  for (const Option& option : options) {
    if (option.group != group) text += fmt::format("\n{}\n", group = option.group);
    std::string line = "  " + flag_words(option);
    if (line.size() + 2 > help_column) {
      text += line + "\n";
      line.clear();
    }
    line.resize(help_column, ' ');
    text += line + wrap(option_sentence(option), help_column) + "\n";
  }
  return text;
}

std::string options_markdown(const Options& options) {
  std::string text, group;
  for (const Option& option : options) {
    if (option.group != group) {
      text += fmt::format("\n**{}**\n\n", group = option.group);
      text += "| option | what it does | allowed | default |\n|---|---|---|---|\n";
    }
    std::string range = allowed(option);
    if (!range.empty() && !option.info.unit.empty()) range += ' ';
    range += option.info.unit;
    text +=
        fmt::format("| `{}` | {} | {} | {} |\n", cell(flag_words(option)), cell(option.info.help),
                    cell(range), option.info.required ? "required" : cell(default_of(option)));
  }
  return text;
}

std::string usage(const Command& command) {
  const Options options = command.options();
  std::string text = "heed " + command.name;
  if (!command.words.empty()) text += " " + command.words;
  std::string inputs;
  const auto sets = command.inputs;
  for (const std::vector<std::string>& set : sets)
    inputs += (inputs.empty() ? "" : " | ") + usage_flags(options, set);
  if (!inputs.empty()) text += fmt::format(" ({})", inputs);
  for (const Option& option : options)
    if (option.info.required) text += " " + flag_words(option);
  return text + " [options]";
}

std::string command_help(const Command& command) {
  std::string text = fmt::format("{}\n\nUsage: {}\n", command.summary, wrap(usage(command), 7));
  if (!command.description.empty()) text += fmt::format("\n{}\n", wrap(command.description, 0));
  CommonSettings common;
  return text + options_help(command.options()) + options_help(options_of(common));
}

void expect_complete(const Command& command, const std::vector<std::string>& words) {
  const Options options = command.options();
  std::vector<std::string> missing = missing_inputs(command, options);
  const bool optional = command.words.empty() || command.words.starts_with('[');
  if (words.empty() && !optional && command.first_words.empty())
    missing.insert(missing.begin(), command.words);
  for (const Option& option : options)
    if (option.info.required && is_empty(option)) missing.push_back(option.flag());
  if (missing.empty()) return;
  const bool is_file = std::ranges::any_of(options, [&](const Option& option) {
    return option.flag() == missing.front() && option.info.value.starts_with("FILE");
  });
  fail_usage("missing {}{} (usage: {})", enumerated(missing),
             is_file ? "; the FILE - is standard input" : "", usage(command));
}

void expect_words(const Command& command, const Arguments& given) {
  if (given.words.empty()) return;
  if (!command.first_words.empty()) return expect_first_word(command, given.words);
  if (!command.words.empty()) return;
  const std::string& word = given.words[0];
  if (given.before_words)
    fail_usage("unexpected '{}' after {}, which takes one value (heed {} --help lists all options)",
               excerpt(word), given.before_words->flag(), command.name);
  const Options options = command.options();
  std::string hint = in_question(option_for_words(options, given.words));
  if (hint.empty() && find_option(options, "input"))
    hint = "; text is read from --input FILE or standard input";
  fail_usage("unexpected '{}': heed {} takes options only{} (heed {} --help lists them)",
             excerpt(word), command.name, hint, command.name);
}

}  // namespace heed
