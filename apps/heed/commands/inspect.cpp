// heed inspect: the structure of a model, its attention, training runs, or a corpus.

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "commands/commands.h"

namespace heed {
namespace {

std::vector<Command> inspections() {
  return {make_inspect_model_command(), make_inspect_attention_command(),
          make_inspect_run_command(), make_inspect_data_command()};
}

// Puts the options of an inspection among those of others. One that they share sets both.
void merge(const Command& one, Options& merged) {
  auto place = merged.begin();
  for (Option& option : one.options()) {
    const auto same = std::ranges::find(merged, option.name, &Option::name);
    if (same == merged.end()) {
      place = merged.insert(place, std::move(option)) + 1;
      continue;
    }
    same->store = [first = same->store, second = option.store](const Words& texts) {
      return first(texts) && second(texts);
    };
    place = same + 1;
  }
}

// The options of all inspections, in groups by the inspections that have them.
Options options_of_all(const std::vector<Command>& all) {
  std::map<std::string, Words> having;  // by the option's name
  for (const Command& one : all)
    for (const Option& option : one.options())
      having[option.name].push_back("heed inspect " + one.name);
  Options merged;
  // In this order the options of each follow one that it shares with those before.
  for (const char* name : {"model", "run", "data", "attention"})
    merge(*std::ranges::find(all, name, &Command::name), merged);
  for (Option& option : merged)
    if (option.group.empty())
      option.group = fmt::format("{}", fmt::join(having[option.name], ", "));
  return merged;
}

// UsageError unless there are as many words as the inspection takes, the first of which names it.
void expect_count(const Words& words, bool tabular) {
  const std::string name = words.empty() ? "" : words[0];
  if (name == "run" && words.size() == 1)
    fail_usage("DIR is missing: expected heed inspect run DIR...");
  const bool paired = words.size() >= 3 && words.size() % 2 == 1;
  if (name == "data" ? (tabular ? words.size() == 1 : paired) : name == "run" || words.size() == 2)
    return;
  if (name == "data" && words.size() >= 2 && !tabular)
    fail_usage("TARGET is missing: expected heed inspect data SOURCE TARGET, or --tsv FILE");
  fail_usage(
      "expected 'heed inspect model DIR', 'heed inspect model PRESET' (tiny, small, base, big), "
      "'heed inspect attention --model DIR SENTENCE', 'heed inspect run DIR...', 'heed inspect "
      "data SOURCE TARGET' or 'heed inspect data --tsv FILE'");
}

int run_inspection(const std::vector<Command>& all, const Words& words, Console& console) {
  const Options options = options_of_all(all);
  expect_count(words, !find_option(options, "tsv")->read().empty());
  const Command& chosen = *std::ranges::find(all, words[0], &Command::name);
  const Options taken = chosen.options();
  for (const Option& option : options)
    if (option.read() != option.defaults && !find_option(taken, option.name))
      fail_usage("{} changes nothing: it belongs to '{}'", option.flag(), option.group);
  return chosen.run({words.begin() + 1, words.end()}, console);
}

std::string inspection_meant_by(const Words& words) {
  std::error_code error;
  if (std::filesystem::is_directory(words[0], error) || is_preset(words[0]))
    return "heed inspect model " + words[0];
  if (!std::filesystem::exists(words[0], error)) return "";
  return fmt::format("heed inspect data {} {}", words[0], words.size() > 1 ? words[1] : "TARGET");
}

}  // namespace

Command make_inspect_command() {
  const std::vector<Command> all = inspections();
  return {
      .name = "inspect",
      .summary = "Shows a model's structure or attention, training runs, or a corpus's defects",
      .description =
          "'heed inspect model' prints the layers of a trained model (its directory) or of a "
          "preset (tiny, small, base, big), in the paper's words, with the shape, the number of "
          "parameters and the multiply-adds per token of each; with --source also what every head "
          "looks at over a text, and the loss without it, or with --alignment which heads align "
          "words; with --html as a page with the paper's "
          "Figure 1. 'heed inspect attention' "
          "translates a "
          "sentence, or does with it what else the model does, and draws what every head looks at. "
          "'heed inspect run' compares training "
          "runs: their best values and the options in which they differ. 'heed inspect data' "
          "prints lengths "
          "and words of parallel text, two files (or several pairs of files) or --tsv, and each "
          "kind of harmful pair, with "
          "line numbers, examples and advice. Texts may be pipes, as in <(zcat a b), and - is "
          "standard input.",
      .words = "model DIR|PRESET | attention SENTENCE | run DIR... | data SOURCE TARGET...",
      .first_words = {"model", "attention", "run", "data"},
      .meant_by = inspection_meant_by,
      .memory_advice = "a smaller --max-table-entries takes less",
      .options = [all] { return options_of_all(all); },
      .run = [all](const Words& words,
                   Console& console) { return run_inspection(all, words, console); }};
}

}  // namespace heed
