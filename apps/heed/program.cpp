// The program without its main(): a command line in, a status out.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>

#include "commands/commands.h"
#include "console/arguments.h"
#include "console/help.h"
#include "console/other_names.h"
#include "files/text_files.h"
#include "heed/core/utf8.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : all_commands()) names.push_back(command.name);
  return names;
}

Command find_command(const std::string& name) {
  for (Command& command : all_commands()) {
    if (command.name == name) return std::move(command);
  }
  fail_usage("unknown command '{}'{} (heed --help lists all)", excerpt(name), command_hint(name));
}

// The configuration is read like any other file.
void expect_config_kept(const std::string& config, const Options& options) {
  for (const Option& option : options) {
    if (option.name != "output" && option.name != "html") continue;
    for (const std::string& file : option.read())
      expect_another_file(option.flag(), file, {config});
  }
}

// "help" may also name a model, or a text.
bool asks_for_help(const std::vector<std::string>& arguments) {
  std::error_code error;
  return arguments == std::vector<std::string>{"help"} && !std::filesystem::exists("help", error);
}

int run_command(const Command& command, const std::vector<std::string>& arguments,
                Console& console) {
  CommonSettings common;
  Options options = command.options();
  for (Option& option : options_of(common)) options.push_back(std::move(option));

  const Arguments given = read_arguments(arguments, options, command.name);
  if (given.help || asks_for_help(arguments)) {
    console.out().write(command_help(command));
    return 0;
  }
  expect_words(command, given);
  for (const Assignment& a : given.assignments)
    if (a.option->name == "config") apply({a});
  if (!common.config.empty()) {
    apply(read_config_file(common.config, options, command.name, command_names()));
  }
  apply(given.assignments);
  expect_complete(command, given.words);
  expect_config_kept(common.config, options);
  validate(options);
  console.be_quiet(common.quiet);
  try {
    return command.run(given.words, console);
  } catch (const std::bad_alloc&) {
    fail("out of memory: {}", command.memory_advice);
  }
}

std::string program_help() {
  std::string text =
      "heed trains, evaluates and runs the Transformer of \"Attention Is All You Need\".\n\n"
      "Usage: heed COMMAND [options]\n\nCommands\n";
  for (const Command& command : all_commands()) {
    if (command.hidden) continue;
    text += fmt::format("  {:<12}{}\n", command.name, wrap(command.summary, 14));
  }
  return text + "\nheed COMMAND --help describes a command and its options.\n";
}

}  // namespace

std::vector<Command> all_commands() {
  return {make_train_command(),     make_translate_command(),  make_serve_command(),
          make_evaluate_command(),  make_score_command(),      make_generate_command(),
          make_tag_command(),       make_classify_command(),   make_parse_command(),
          make_calibrate_command(), make_clean_command(),      make_align_command(),
          make_average_command(),   make_quantize_command(),   make_inspect_command(),
          make_bench_command(),     make_phrasebook_command(), make_demo_command(),
          make_version_command(),   make_completion_command(), make_manual_command(),
          make_options_command()};
}

int run_program(const std::vector<std::string>& arguments, Console& console) {
  if (arguments.empty()) {
    std::fputs(program_help().c_str(), stderr);
    return 2;
  }
  const std::string& first = arguments[0];
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  const auto is_help = [](const std::string& word) {
    return word == "--help" || word == "-h" || word == "help";
  };
  if (is_help(first)) {
    const bool of_all = rest.empty() || is_help(rest[0]);
    console.out().write(of_all ? program_help() : command_help(find_command(rest[0])));
    return 0;
  }
  const bool version = first == "--version" || first == "-v" || first == "-V";
  return run_command(find_command(version ? "version" : first), rest, console);
}

}  // namespace heed
