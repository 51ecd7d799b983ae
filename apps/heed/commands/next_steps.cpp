#include "commands/next_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "heed/core/shell_words.h"
#include "heed/run/run_files.h"
#include "heed/serve/models.h"
#include "heed/text/lines.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// Whether the shell finds this program as "heed".
bool is_found_by_name(const fs::path& program) {
  const char* path = std::getenv("PATH");
  std::istringstream directories(path ? path : "");
  for (std::string directory; std::getline(directories, directory, ':');) {
    std::error_code error;
    const fs::path candidate = fs::path(directory.empty() ? "." : directory) / "heed";
    if (fs::is_regular_file(candidate, error)) return fs::equivalent(candidate, program, error);
  }
  return false;
}

// A sentence that is short enough for a command line; empty if the first lines have none or cannot
// be read.
std::string short_sentence(const std::string& path) {
  constexpr size_t kMaxBytes = 80;
  constexpr int kLines = 100;
  try {
    LineReader lines = open_lines(path);
    std::string line;
    for (int i = 0; i < kLines && lines.next(line); ++i) {
      const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
      if (!blank && line.size() <= kMaxBytes) return line;
    }
  } catch (const Error&) {
    // Training has succeeded: a file that has changed since must not cause an error.
  }
  return "";
}

// A pipe is empty after training, and a file may have been removed.
bool is_readable_again(const std::string& path) {
  std::error_code error;
  return !is_stream(path) && fs::is_regular_file(path, error);
}

// The files as words of the shell, or placeholders where one of them cannot be read again.
std::string file_words(const std::vector<std::string>& files, const std::string& placeholders) {
  if (!std::ranges::all_of(files, is_readable_again)) return placeholders;
  std::vector<std::string> words;
  words.reserve(files.size());
  for (const std::string& file : files) words.push_back(shell_word(file));
  return fmt::format("{}", fmt::join(words, " "));
}

// The model as an argument of heed serve, which needs its languages.
std::string served_model(const std::string& directory) {
  const bool known = !model_languages(directory).source.empty();
  return (known ? "" : "SOURCE-TARGET=") + shell_word(directory);
}

}  // namespace

std::string program_command() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error || is_found_by_name(program)) return "heed";
  // The shorter path: ../../../opt/heed/bin/heed is not what somebody typed.
  const std::string path = fs::proximate(program, error).string(), whole = program.string();
  if (error || path.empty()) return "heed";
  return shell_word(path.size() < whole.size() ? path : whole);
}

TrainedModel trained_model(const TrainOptions& options) {
  // Not --valid-tsv: no command evaluates on columns.
  TrainedModel model{options.model, options.valid_source, options.valid_target};
  if (options.hold_out.value_or(0) > 0) {
    const RunFiles files{options.model};
    model.source = files.held_out_source().string();
    model.reference = files.held_out_target().string();
  }
  if (!is_readable_again(model.source) || !is_readable_again(model.reference))
    model.source = model.reference = "";
  return model;
}

std::string inspection_command(const TrainOptions& options) {
  const std::string command = program_command() + " inspect data";
  if (const TsvOptions& tabular = options.tabular; !tabular.tsv.empty()) {
    return fmt::format("{} --tsv {} --columns {}", command, file_words(tabular.tsv, "FILE"),
                       fmt::join(tabular.columns, " "));
  }
  if (!options.corpora.empty()) {  // the whole text of the first one that has two files
    const auto plain = std::ranges::find_if(
        options.corpora, [](const CorpusOptions& corpus) { return !corpus.source.empty(); });
    if (plain == options.corpora.end())
      return fmt::format("{} --tsv {}", command,
                         file_words(options.corpora.front().tabular.tsv, "FILE"));
    return fmt::format("{} {}", command,
                       file_words({plain->source[0], plain->target[0]}, "SOURCE TARGET"));
  }
  std::vector<std::string> pairs;
  for (size_t i = 0; i < options.source.size(); ++i)
    pairs.insert(pairs.end(), {options.source[i], options.target[i]});
  return fmt::format("{} {}", command, file_words(pairs, "SOURCE TARGET"));
}

std::vector<std::string> next_steps(const TrainedModel& model) {
  const std::string heed = "  " + program_command(), directory = shell_word(model.directory);
  std::vector<std::string> lines{"Next:"};
  if (model.source.empty()) {
    lines.push_back(fmt::format("{} translate --model {} < SOURCE", heed, directory));
  } else {
    const std::string sentence = short_sentence(model.source), source = shell_word(model.source);
    lines.push_back(sentence.empty()
                        ? fmt::format("{} translate --model {} --input {}", heed, directory, source)
                        : fmt::format("  echo {} |{} translate --model {}", shell_word(sentence),
                                      heed.substr(1), directory));
    lines.push_back(fmt::format("{} evaluate --model {} --source {} --reference {}", heed,
                                directory, source, shell_word(model.reference)));
  }
  lines.push_back(fmt::format("{} inspect model {}", heed, directory));
  lines.push_back(fmt::format("{} serve --model {}    # a web page, and an HTTP API", heed,
                              served_model(model.directory)));
  return lines;
}

namespace {

std::vector<std::string> next_steps_of_labels(const TrainOptions& options) {
  const std::string heed = "  " + program_command(), directory = shell_word(options.model);
  const bool tags = options.task == LearningTask::tag;
  const TrainedModel model = trained_model(options);
  const std::string source = model.source.empty() ? "FILE" : shell_word(model.source);
  std::vector<std::string> lines{
      "Next:", fmt::format("{} {} --model {} --input {}", heed, tags ? "tag" : "classify",
                           directory, source)};
  if (!model.source.empty()) {
    const char* what = tags ? "tag --format tags" : "classify";
    lines.push_back(fmt::format(
        "{} {} --model {} --input {} --output labels &&{} evaluate --hypothesis labels --reference "
        "{} --metrics accuracy f1",
        heed, what, directory, source, heed.substr(1), shell_word(model.reference)));
  }
  lines.push_back(fmt::format("{} inspect model {}", heed, directory));
  return lines;
}

std::vector<std::string> next_steps_of_trees(const TrainOptions& options) {
  const std::string heed = "  " + program_command(), directory = shell_word(options.model);
  const std::string validation = options.hold_out.value_or(0) > 0
                                     ? RunFiles{options.model}.held_out_trees().string()
                                     : options.valid_trees;
  std::vector<std::string> lines{"Next:",
                                 fmt::format("{} parse --model {} --input FILE", heed, directory)};
  if (is_readable_again(validation)) {
    const std::string trees = shell_word(validation);
    lines.back() = fmt::format(
        "{0} parse --model {1} --trees {2} --output parsed.trees &&{3} evaluate --hypothesis "
        "parsed.trees --reference {2} --metrics brackets",
        heed, directory, trees, heed.substr(1));
  }
  lines.push_back(fmt::format("{} inspect model {}", heed, directory));
  return lines;
}

}  // namespace

std::vector<std::string> next_steps_of(const TrainOptions& options) {
  if (options.translates()) return next_steps(trained_model(options));
  if (options.parses()) return next_steps_of_trees(options);
  if (options.classifies()) return next_steps_of_labels(options);
  const std::string heed = "  " + program_command(), directory = shell_word(options.model);
  const std::string validation = options.hold_out.value_or(0) > 0
                                     ? RunFiles{options.model}.held_out_text().string()
                                     : options.valid_text;
  const bool has_text = is_readable_again(validation);
  const std::string sentence = has_text ? short_sentence(validation) : "";
  const std::string prompt = sentence.substr(0, sentence.find(' '));
  return {"Next:",
          fmt::format("{} generate --model {} --sample --prompt {}", heed, directory,
                      prompt.empty() ? "TEXT" : shell_word(prompt)),
          fmt::format("{} score --model {} --format corpus --text {}", heed, directory,
                      has_text ? shell_word(validation) : "FILE"),
          fmt::format("{} inspect model {}", heed, directory)};
}

}  // namespace heed
