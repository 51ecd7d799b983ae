#include "commands/next_steps.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "heed/core/shell_words.h"
#include "heed/serve/models.h"
#include "heed/text/lines.h"
#include "heed/train/run_files.h"

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

}  // namespace

std::string program_command() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error || is_found_by_name(program)) return "heed";
  const fs::path path = fs::proximate(program, error);
  return error || path.empty() ? "heed" : shell_word(path.string());
}

TrainedModel trained_model(const TrainOptions& options) {
  // Not --valid-tsv: no command evaluates on columns.
  TrainedModel model{options.model, options.valid_source, options.valid_target};
  if (options.hold_out > 0) {
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
    const std::string& file = tabular.tsv.front();
    return fmt::format("{} --tsv {} --columns {}", command,
                       is_readable_again(file) ? shell_word(file) : "FILE",
                       fmt::join(tabular.columns, " "));
  }
  const std::string &source = options.source.front(), &target = options.target.front();
  if (!is_readable_again(source) || !is_readable_again(target)) return command + " SOURCE TARGET";
  return fmt::format("{} {} {}", command, shell_word(source), shell_word(target));
}

namespace {

// The model as an argument of heed serve, which needs its languages.
std::string served_model(const std::string& directory) {
  const bool known = !model_languages(directory).source.empty();
  return (known ? "" : "SOURCE-TARGET=") + shell_word(directory);
}

}  // namespace

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

}  // namespace heed
