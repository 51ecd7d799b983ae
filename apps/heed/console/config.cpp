#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "console/arguments.h"
#include "console/other_names.h"
#include "heed/core/files.h"
#include "heed/core/utf8.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

std::string place(const std::string& path, const toml::source_region& source) {
  return fmt::format("{}:{}", path, source.begin.line);
}

// Puts environment variables in place of ${NAME}: recipes name directories that differ by machine.
std::string expand(const std::string& text, const std::string& where) {
  return filled(text, "${", "}", [&](std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    if (!value) fail_usage("{}: the environment variable {} is not set", where, excerpt(name));
    return std::string(value);
  });
}

std::string scalar_text(const toml::node& node, const std::string& where) {
  if (const auto* text = node.as_string()) {
    if (text->get().find('\0') != std::string::npos)
      fail_usage("{}: the text has a NUL character (\\u0000), which no value may have", where);
    return expand(text->get(), where);
  }
  if (const auto* number = node.as_integer()) return to_text(int64_t{number->get()});
  if (const auto* number = node.as_floating_point()) return to_text(number->get());
  if (const auto* flag = node.as_boolean()) return to_text(flag->get());
  fail_usage("{}: expected a text, number, true or false, or a list of texts", where);
}

std::vector<std::string> texts_of(const toml::node& node, const std::string& where) {
  const toml::array* items = node.as_array();
  if (!items) return {scalar_text(node, where)};
  std::vector<std::string> texts;
  for (const toml::node& item : *items) texts.push_back(scalar_text(item, where));
  return texts;
}

// The parser descends once for each dot of a key, without a bound of its own.
void expect_shallow_keys(const std::string& text, const std::string& path) {
  constexpr std::ptrdiff_t kMaxDots = 1000;
  std::istringstream lines(text);
  int64_t number = 1;
  for (std::string line; std::getline(lines, line); ++number)
    if (std::count(line.begin(), line.end(), '.') > kMaxDots)
      fail_usage("{}:{}: expected at most {} dots in a line of a configuration", path, number,
                 kMaxDots);
}

toml::table parse(const std::string& path) {
  const std::string text = read_file(path);
  expect_shallow_keys(text, path);
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    fail_usage("{}: not TOML: {}", place(path, error.source()), error.description());
  }
}

void read_table(const toml::table& table, const std::string& path, const std::string& command,
                const Options& options, std::vector<Assignment>& found);

// The texts of a list of structs, each a table.
std::vector<std::string> records_of(const toml::node& node, const std::string& path,
                                    const std::string& command, const Option& option,
                                    const std::string& where) {
  const toml::array* items = node.as_array();
  std::vector<std::string> texts;
  for (size_t i = 0; items && i < items->size(); ++i) {
    const toml::table* fields = items->get(i)->as_table();
    if (!fields) break;
    texts.push_back(option.record([&](const Options& options) {
      std::vector<Assignment> values;
      read_table(*fields, path, command, options, values);
      apply(values);
    }));
  }
  if (!items || texts.size() != items->size())
    fail_usage("{}: expected tables, each [[{}]]", where, option.name);
  return texts;
}

// The values of one table; what is a table itself is left to the caller.
void read_table(const toml::table& table, const std::string& path, const std::string& command,
                const Options& options, std::vector<Assignment>& found) {
  std::map<const Option*, std::string> places;  // of the options that this table sets
  for (const auto& [key, node] : table) {
    if (node.is_table()) continue;
    const std::string name(key.str());
    const std::string where = fmt::format("{}: {}", place(path, node.source()), excerpt(name));
    const Option* option = find_option(options, name);
    if (!option) fail_usage("{}: unknown key{}", where, option_hint(command, options, name, ""));
    if (option->name == "config")
      fail_usage("{}: a configuration cannot name another; --config is given as a flag", where);
    const auto [earlier, is_first] = places.emplace(option, where);
    if (!is_first) fail_usage("{}: the same option as {}: give it once", where, earlier->second);
    std::erase_if(found, [&](const Assignment& a) { return a.option == option; });
    found.push_back(
        {option,
         option->record ? records_of(node, path, command, *option, where) : texts_of(node, where),
         where});
  }
}

}  // namespace

std::vector<Assignment> read_config_file(const std::string& path, const Options& options,
                                         const std::string& command,
                                         const std::vector<std::string>& commands) {
  const toml::table file = parse(path);
  std::vector<Assignment> found;
  read_table(file, path, command, options, found);
  for (const auto& [key, node] : file) {
    const toml::table* table = node.as_table();
    if (!table) continue;
    const std::string name(key.str());
    if (const Option* option = find_option(options, name); option && option->record)
      fail_usage("{}: [{}] is one of a list: write [[{}]]", place(path, node.source()), name, name);
    if (std::find(commands.begin(), commands.end(), name) == commands.end()) {
      fail_usage("{}: [{}] names no command{}", place(path, node.source()), excerpt(name),
                 command_hint(name, "[", "]"));
    }
    if (name == command) read_table(*table, path, command, options, found);
  }
  return found;
}

}  // namespace heed
