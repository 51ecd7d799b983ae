// heed average: the mean of several models, or one checkpoint, as a model directory.
#include <algorithm>
#include <filesystem>

#include "commands/commands.h"
#include "files/model_output.h"
#include "heed/core/counted.h"
#include "heed/model/sequence_model.h"
#include "heed/run/averaging.h"
#include "heed/text/tokenizer.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct AverageSettings {
  std::string output;
  std::optional<int64_t> last;
  std::string model;
  bool overwrite = false;

  static void visit(auto& self, auto&& v) {
    v.group("Average");
    v("output", self.output,
      {.help = "Output model directory, created if missing", .value = "DIR", .required = true});
    v("last", self.last,
      {.help = "With one model directory as argument: average the last N checkpoints of its run",
       .value = "N",
       .default_text = "average the given paths",
       .minimum = 1,
       .maximum = 10000});
    v("model", self.model,
      {.help = "Model directory with the configuration and vocabulary of the checkpoints",
       .value = "DIR",
       .default_text = "that of the first checkpoint's run"});
    v("overwrite", self.overwrite, {.help = "Overwrite an existing model"});
  }
};

std::vector<fs::path> checkpoints_of(const AverageSettings& settings, const Words& words) {
  if (!settings.last) return {words.begin(), words.end()};
  if (words.size() != 1)
    fail_usage("--last takes the checkpoints of one run, got {}",
               detail::counted(int64_t(words.size()), "name"));
  return last_checkpoints(words[0], *settings.last);
}

// Repeating a path gives it more weight, which is seldom intended.
void warn_of_repetition(const std::vector<fs::path>& paths, const Console& console) {
  std::error_code error;  // a missing file is reported when it is read
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    const auto same = [&](const fs::path& other) { return fs::equivalent(*path, other, error); };
    if (std::any_of(paths.begin(), path, same)) continue;  // warned of already
    const auto times = std::count_if(path, paths.end(), same);
    if (times > 1)
      console.warn(fmt::format("{} is named {} times: it has {} times the weight of another",
                               path->string(), times, times));
  }
}

// The model directory of each path.
std::vector<fs::path> model_directories(const AverageSettings& settings,
                                        const std::vector<fs::path>& paths) {
  std::vector<fs::path> directories;
  if (!settings.model.empty()) directories.emplace_back(settings.model);
  for (const fs::path& path : paths) {
    const StoredWeights weights(path);
    if (!fs::is_directory(path) && !settings.model.empty()) continue;
    weights.config();  // fails without one
    directories.push_back(weights.directory());
  }
  return directories;
}

void check_vocabularies(const std::vector<fs::path>& directories) {
  const uint64_t first = TokenizerPair::load(directories.front()).fingerprint();
  for (const fs::path& directory : directories) {
    if (directory == directories.front() || TokenizerPair::load(directory).fingerprint() == first)
      continue;
    fail("{} has another vocabulary than {}: their mean would mean nothing", directory.string(),
         directories.front().string());
  }
}

int run_average(const AverageSettings& settings, const Words& words, Console& console) {
  const std::vector<fs::path> paths = checkpoints_of(settings, words);
  warn_of_repetition(paths, console);
  const std::vector<fs::path> directories = model_directories(settings, paths);
  std::vector<fs::path> kept = directories;
  for (const std::string& word : words) kept.emplace_back(word);
  const Existing existing = settings.overwrite ? Existing::replace : Existing::refuse;
  check_output(settings.output, kept, existing);
  check_vocabularies(directories);
  const ModelConfig config =
      settings.model.empty() ? StoredWeights(paths.front()).config() : read_config(settings.model);
  const std::vector<Parameter> mean = zero_parameters(config);
  load_average(paths, config, mean);
  write_model(
      settings.output, existing,
      {.model = {config, mean}, .directory = directories.front(), .averaged_with = directories});
  for (const fs::path& path : paths) console.note(path.string());
  console.note(fmt::format("{}: the mean of {}", settings.output, paths.size()));
  return 0;
}

}  // namespace

Command make_average_command() {
  return with_settings(
      run_average,
      {.name = "average",
       .summary = "Averages models or checkpoints into a model",
       .description =
           "Takes model directories, checkpoints (DIR/training/step-N.safetensors) and training "
           "states (DIR/training/state.safetensors), all of one shape and one vocabulary, and "
           "writes the mean of their weights. With --last N the argument is one model directory, "
           "whose last N checkpoints are averaged, as train --average last:N does. A single "
           "checkpoint is converted into a model directory.",
       .words = "DIR|FILE..."});
}

}  // namespace heed
