#include "next_steps.h"

#include <fmt/format.h>

#include <filesystem>

#include "heed/text/lines.h"
#include "heed/train/run_files.h"
#include "shell_words.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// How the user can call this program from where they are.
std::string program() {
  std::error_code error;
  const fs::path path = fs::proximate(fs::read_symlink("/proc/self/exe", error), error);
  return error || path.empty() ? "heed" : shell_word(path.string());
}

// One short enough to read in a command; empty where the first lines have none.
std::string short_sentence(const std::string& path) {
  constexpr size_t kMostBytes = 80;
  constexpr int kLines = 100;
  LineReader lines = open_lines(path);
  std::string line;
  for (int i = 0; i < kLines && lines.next(line); ++i) {
    const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
    if (!blank && line.size() <= kMostBytes) return line;
  }
  return "";
}

}  // namespace

TrainedModel trained_model(const TrainOptions& options) {
  const RunFiles files{options.model};
  if (options.hold_out > 0)
    return {options.model, files.held_out_source().string(), files.held_out_target().string()};
  // Pipes have been read, and no command reads columns to evaluate on.
  std::error_code error;
  const bool files_again = fs::is_regular_file(options.valid_source, error) &&
                           fs::is_regular_file(options.valid_target, error);
  return files_again ? TrainedModel{options.model, options.valid_source, options.valid_target}
                     : TrainedModel{options.model, "", ""};
}

std::vector<std::string> next_steps(const TrainedModel& model) {
  const std::string heed = "  " + program(), directory = shell_word(model.directory);
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
  return lines;
}

}  // namespace heed
