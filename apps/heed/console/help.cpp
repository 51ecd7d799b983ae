#include "console/help.h"

#include <algorithm>
#include <cmath>
#include <sstream>

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
  if (option.kind == OptionKind::choice) {
    std::string names;
    for (const std::string& choice : option.choices) names += (names.empty() ? "" : ", ") + choice;
    return names;
  }
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
  std::string text;
  for (const std::string& item : option.defaults) text += (text.empty() ? "" : " ") + item;
  if (option.kind == OptionKind::flag) return text == "true" ? "on" : "off";
  return text.empty() ? "none" : text;
}

// A table's cell must not hold its separator.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
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

std::string wrap(const std::string& text, size_t column, size_t indent, size_t width) {
  std::istringstream words(text);
  std::string result, word;
  bool first = true;
  while (words >> word) {
    if (!first && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    first = false;
  }
  return result;
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
    text += line + wrap(option_sentence(option), help_column, help_column) + "\n";
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
    text += fmt::format("| `{}` | {} | {} | {} |\n", cell(flag_words(option)),
                        cell(std::string(option.info.help)), cell(range),
                        option.info.required ? "required" : cell(default_of(option)));
  }
  return text;
}

}  // namespace heed
